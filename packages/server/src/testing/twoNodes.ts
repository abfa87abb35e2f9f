/** Two nodes on one PostgreSQL database, and races between their transactions that come out the same each time. */
import { openServerKeys } from '../domain/custody/keys.ts'
import { recordServerId } from '../domain/discovery/serverId.ts'
import type { Store } from '../ports/store.ts'
import { createGate } from './faults.ts'
import { exempt } from './lockWitness.ts'
import { openShared } from './postgresStores.ts'
import { inWorld, type World } from './world.ts'

export interface TwoNodes {
  readonly here: World
  readonly there: World
  /**
   * Runs `first` here until its transaction has done everything but its commit, then `second` there until it has ended
   * or waits for a lock, and then both to their ends. `second` sees nothing of `first`, unless it waits for it.
   */
  race<First, Second>(
    first: (here: World) => Promise<First>,
    second: (there: World) => Promise<Second>,
  ): Promise<readonly [PromiseSettledResult<First>, PromiseSettledResult<Second>]>
  /** How many deadlocks the database has met. */
  deadlocks(): Promise<number>
}

/** Without locks each transaction names none. With them, a change without its lock fails (lockWitness.ts). */
export function inTwoNodes(work: (nodes: TwoNodes) => Promise<void>, given: { readonly withoutLocks?: boolean } = {}) {
  return async () => {
    const { withoutLocks = false } = given
    const database = await openShared(withoutLocks ? 'migrated' : 'witnessed')
    const asGiven = (store: Store): Store =>
      withoutLocks ? { ...store, write: (_locks, inside) => store.write([], inside) } : store
    const held = createPause()
    const stores = [held.over(asGiven(await database.open())), asGiven(await database.open())] as const
    try {
      await inWorld(async (world) => {
        await stores[1].write(['server'], (tx) => recordServerId(tx, world.settings.serverId))
        const [here, there] = [await over(world, stores[0]), await over(world, stores[1])]
        await work({
          here,
          there,
          deadlocks: database.deadlocks,
          async race(first, second) {
            const isPaused = held.pauseNext()
            const one = first(here)
            await Promise.race([isPaused, one.catch(() => undefined)])
            const other = second(there)
            await database.untilLockAwaited(other)
            held.release()
            return await Promise.allSettled([one, other])
          },
        })
      })()
    } finally {
      held.release()
      await database.close()
    }
  }
}

/** Stops one transaction before its commit. */
function createPause() {
  let next:
    | { readonly reached: ReturnType<typeof createGate>; readonly released: ReturnType<typeof createGate> }
    | undefined
  let released: ReturnType<typeof createGate> | undefined
  return {
    pauseNext(): Promise<void> {
      next = { reached: createGate(), released: createGate() }
      released = next.released
      return next.reached.passed
    },
    release(): void {
      next = undefined
      released?.open()
    },
    over: (store: Store): Store => ({
      ...store,
      write: (locks, work) =>
        store.write(locks, async (tx) => {
          const result = await work(tx)
          const pause = next
          next = undefined
          pause?.reached.open()
          await pause?.released.passed
          return result
        }),
    }),
  }
}

async function over(world: World, store: Store): Promise<World> {
  const { keyring, clock, random, blobs } = world
  const keys = await openServerKeys({ store, keyring, clock, random })
  const rules = world.rulesOver({ store, keys, staging: blobs, objects: blobs })
  return { ...world, store: exempt(store), keys, rules }
}
