import type { Presence } from '../ports/objects.ts'
import type { Store } from '../ports/store.ts'

/** Between two looks. */
const PAUSE_MS = 5_000
/** Three attempts of an object store without an answer (`adapters/s3/attempts.ts`). Sooner answers: slow, not away. */
export const SILENT_MS = 15_000
/** One failure may be one connection. */
const FAILURES = 2

export interface PresenceWatch {
  /** What is away. Of the last looks: it waits for nothing. */
  faults(): readonly ('store' | 'blobs')[]
  /** Of the store of bytes. Undefined before its first answer, and while it is away. */
  freeBytes(): number | undefined
  stop(): void
}

interface PresenceWatchParts {
  readonly store: Pick<Store, 'ask'>
  readonly disk: Presence
  /** For tests. */
  readonly pauseMs?: number
  readonly elapsed?: () => number
}

/**
 * Looks in the background whether the database and the store of bytes answer. /readyz and the figures say what it has
 * seen, so they never wait for either, and however many ask, there is one question at a time. Resolves after the
 * first looks.
 */
export async function startPresenceWatch({
  store,
  disk,
  pauseMs = PAUSE_MS,
  elapsed = () => performance.now(),
}: PresenceWatchParts): Promise<PresenceWatch> {
  let freeBytes: number | undefined
  const database = createLooker(() => store.ask((tx) => tx.server.fact('token_key')), elapsed)
  const bytes = createLooker(async () => {
    freeBytes = await disk.check()
  }, elapsed)
  const lookers = [database, bytes]
  await Promise.all(lookers.map(({ look }) => look()))
  const timers = lookers.map(({ look }) => setInterval(() => void look(), pauseMs).unref())
  return {
    faults: () => [...(database.isAway() ? (['store'] as const) : []), ...(bytes.isAway() ? (['blobs'] as const) : [])],
    freeBytes: () => (bytes.isAway() ? undefined : freeBytes),
    stop: () => timers.forEach(clearInterval),
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
