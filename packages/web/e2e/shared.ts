/** What the test files of one process share. */
import { after, before } from 'node:test'

interface Shared {
  users: number
  starting: Promise<unknown> | undefined
}

const everything = new Map<string, Shared>()

/**
 * Call it at the top of a test file: the first file whose tests run starts the thing of this name, and the last one
 * stops it. The returned function reads it during the tests. `prepare` runs for each file, before its tests: a `before`
 * of the file would not wait for the start, because node:test runs such hooks at the same time.
 */
export function useShared<Thing>(
  name: string,
  start: () => Promise<Thing>,
  stop: (thing: Thing) => Promise<unknown>,
  prepare: (thing: Thing) => Promise<void> = async () => undefined,
): () => Thing {
  const shared = everything.get(name) ?? { users: 0, starting: undefined }
  everything.set(name, shared)
  shared.users++
  let ready: { readonly thing: Thing } | undefined
  before(async () => {
    shared.starting ??= start()
    const thing = (await shared.starting) as Thing
    await prepare(thing)
    ready = { thing }
  })
  after(async () => {
    shared.users--
    const stopIt = (thing: unknown) => stop(thing as Thing)
    // If no test is left to run, node:test does not wait for `before`.
    if (shared.users === 0) await shared.starting?.then(stopIt, () => undefined)
  })
  return () => {
    if (ready === undefined) throw new Error(`the ${name} runs only during tests`)
    return ready.thing
  }
}
