import type { KeyedBytes } from '../ports/keyedBytes.ts'
import type { Store } from '../ports/store.ts'
import type { Bytes, WorldOptions } from './world.ts'

/** A process that dies at a call that the test chooses. From then on none of its calls has an effect. */
interface Mortal {
  readonly around: NonNullable<WorldOptions['around']>
  /** Dies after this many calls of the store and the blobs. */
  dieAfter(calls: number): void
  /** Starts another process. True when the last one died. */
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
        ask: (work) => live(() => real.ask(work)),
        write: (locks, work) => live(() => real.write(locks, work)),
        withReceiptLogLock: (work) => live(() => real.withReceiptLogLock(work)),
      }),
      blobs: (real: Bytes): Bytes => ({
        ...real,
        write: (place, request) => live(() => real.write(place, request)),
        settle: (location, size) => live(() => real.settle(location, size)),
        size: (location) => live(() => real.size(location)),
        async *read(location, range) {
          pass()
          yield* real.read(location, range)
        },
        remove: (location) => live(() => real.remove(location)),
        check: () => live(() => real.check()),
      }),
      keyedBytes: (real: KeyedBytes): KeyedBytes => ({
        ...real,
        size: (key) => live(() => real.size(key)),
        async *read(key, range) {
          pass()
          yield* real.read(key, range)
        },
        remove: (key) => live(() => real.remove(key)),
        create: (key) => live(() => real.create(key)),
        copy: (piece, source) => live(() => real.copy(piece, source)),
        upload: (piece, bytes) => live(() => real.upload(piece, bytes)),
        complete: (joining, pieces) => live(() => real.complete(joining, pieces)),
        abort: (joining) => live(() => real.abort(joining)),
      }),
    },
  }
}
