/** What a local page remembers from one start to the next: the program keeps it in the profile of the command line. */
import { type PinnedKeys, parsePins } from '@blindkeep/client/receipts'
import { isCount, isObject } from '@blindkeep/protocol/json'
import { askProgram } from '../address/localPage.ts'

export interface LocalMemory {
  readonly version: number
  /** What this page wrote last. */
  readonly seen: Readonly<Record<string, unknown>>
  readonly revoked: unknown
  readonly pins: PinnedKeys | undefined
}

const PATH = '/local/seen'
/** Other pages of the same owner may write meanwhile. */
const MAX_TRIES = 10

/** Rejects when the program does not answer: a page must not go on as if nothing had been seen. */
export async function loadLocalMemory(): Promise<LocalMemory> {
  const { status, body } = await askProgram(PATH)
  if (status !== 200 || !isCount(body.version)) throw new Error('the program does not say what was seen')
  const { version, seen, revoked, pins } = body
  return { version, seen: isObject(seen) ? seen : {}, revoked, pins: isObject(pins) ? parsePins(pins) : undefined }
}

/** Rejects when it is not kept. */
export async function changeLocalMemory(
  change: (memory: LocalMemory) => { readonly seen?: object; readonly revoked?: object; readonly pins?: PinnedKeys },
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const memory = await loadLocalMemory()
    const body = JSON.stringify({ version: memory.version, ...change(memory) })
    const { status } = await askProgram(PATH, { method: 'PUT', body })
    if (status === 200) return
    if (status !== 409) break
  }
  throw new Error('the program has not kept what was seen')
}
