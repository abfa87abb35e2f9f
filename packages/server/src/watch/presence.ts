import type { Presence } from '../ports/objects.ts'
import type { Store } from '../ports/store.ts'

/** Three attempts of an object store without an answer (`adapters/s3/attempts.ts`). Sooner answers: slow, not away. */
export const SILENT_MS = 15_000
/** One failure may be one connection. */
const FAILURES = 2

export interface PresenceWatch {
  /** What is away. Of the last looks: it waits for nothing. */
  faults(): readonly ('store' | 'blobs')[]
  /** Of the store of bytes. Undefined before its first answer, and while it is away. */
  freeBytes(): number | undefined
  /** A look. Neither rejects, and while one waits for its answer another one asks nothing. */
  askDatabase(): Promise<void>
  askBytes(): Promise<void>
}

interface PresenceWatchPorts {
  readonly store: Pick<Store, 'ask'>
  readonly disk: Presence
  /** For tests. */
  readonly elapsed?: () => number
}

/**
 * Whether the database and the store of bytes answer, by looks in the background. /readyz and the figures say what the
 * last ones saw, so they never wait for either, and however many ask, there is one question at a time. Resolves after
 * the first looks.
 */
export async function openPresenceWatch({
  store,
  disk,
  elapsed = () => performance.now(),
}: PresenceWatchPorts): Promise<PresenceWatch> {
  let freeBytes: number | undefined
  const database = createLooker(() => store.ask((tx) => tx.server.fact('token_key')), elapsed)
  const bytes = createLooker(async () => {
    freeBytes = await disk.check()
  }, elapsed)
  await Promise.all([database.look(), bytes.look()])
  return {
    faults: () => [...(database.isAway() ? (['store'] as const) : []), ...(bytes.isAway() ? (['blobs'] as const) : [])],
    freeBytes: () => (bytes.isAway() ? undefined : freeBytes),
    askDatabase: database.look,
    askBytes: bytes.look,
  }
}

function createLooker(ask: () => Promise<unknown>, elapsed: () => number) {
  /** When it was first asked since its last answer. */
  let askedAt: number | undefined
  let failures = 0
  let isAsking = false
  return {
    /** Never rejects. A question that has no answer yet is not repeated. */
    async look(): Promise<void> {
      if (isAsking) return
      isAsking = true
      askedAt ??= elapsed()
      try {
        await ask()
        askedAt = undefined
        failures = 0
      } catch {
        failures += 1
      } finally {
        isAsking = false
      }
    },
    isAway: () => failures >= FAILURES || (askedAt !== undefined && elapsed() - askedAt > SILENT_MS),
  }
}
