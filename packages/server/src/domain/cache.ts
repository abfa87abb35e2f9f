import type { Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../ports/clock.ts'

export interface Kept<Value> {
  (): Promise<Value>
  /** Whoever asks from now on gets what is read from now on. */
  forget(): void
}

/**
 * What `read` gave last, for so many milliseconds after it did; whoever asks while it reads again shares that one reading. When one throws, those who
 * waited for it are told, and the next who asks has it read again.
 */
export function cacheFor<Value>(clock: Clock, ms: number, read: () => Promise<Value>): Kept<Value> {
  let last: { readonly reading: Promise<Value>; readAt: Instant | undefined } | undefined

  // A clock that was set back must not put the next reading off.
  const isFresh = (readAt: Instant | undefined) => readAt === undefined || Math.abs(clock.now() - readAt) < ms

  function ask(): Promise<Value> {
    if (last !== undefined && isFresh(last.readAt)) return last.reading
    const present: typeof last = { reading: read(), readAt: undefined }
    present.reading.then(
      () => {
        present.readAt = clock.now()
      },
      () => {
        if (last === present) last = undefined
      },
    )
    last = present
    return present.reading
  }

  return Object.assign(ask, {
    forget() {
      last = undefined
    },
  })
}
