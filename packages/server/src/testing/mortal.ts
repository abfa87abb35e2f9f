import type { Blobs } from '../ports/blobs.ts'
import type { Store } from '../ports/store.ts'
import type { WorldOptions } from './world.ts'

/** A process that dies at a call of the test’s choosing: from then on nothing that it asks of the world happens. */
export interface Mortal {
  readonly around: NonNullable<WorldOptions['around']>
  /** Lets this many calls of store and blobs pass. */
  dieAfter(calls: number): void
  /** Another process has the world from here on. True when the one before died. */
  revive(): boolean
}

export function createMortal(): Mortal {
  let left = Number.POSITIVE_INFINITY
  let hasDied = false

  function pass(): void {
    hasDied ||= left <= 0
    if (hasDied) throw new Error('dead')
    left -= 1
  }
  async function live<Result>(work: () => Promise<Result>): Promise<Result> {
    pass()
    return work()
  }

  return {
    dieAfter(calls) {
      left = calls
    },
    revive() {
      const died = hasDied
      hasDied = false
      left = Number.POSITIVE_INFINITY
      return died
    },
    around: {
      store: (real: Store): Store => ({
        ...real,
        read: (work) => live(() => real.read(work)),
        write: (work) => live(() => real.write(work)),
        withReceiptLogLock: (work) => live(() => real.withReceiptLogLock(work)),
      }),
      blobs: (real: Blobs): Blobs => ({
        ...real,
        write: (location, request) => live(() => real.write(location, request)),
        settle: (location, size) => live(() => real.settle(location, size)),
        size: (location) => live(() => real.size(location)),
        async *read(location, range) {
          pass()
          yield* real.read(location, range)
        },
        remove: (location) => live(() => real.remove(location)),
        freeBytes: () => live(() => real.freeBytes()),
      }),
    },
  }
}
