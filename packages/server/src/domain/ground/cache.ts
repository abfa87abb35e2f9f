import { CappedMap } from '@blindkeep/protocol/cappedMap'
import type { Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'

interface Cached<Value> {
  (): Promise<Value>
  /** Later calls read again, and do not share a read that is under way. */
  forget(): void
}

/**
 * Caches the result of `read` for `ms` after it resolved. Concurrent calls share one read. A read that fails rejects
 * the calls that wait for it, and is not cached.
 */
export function cacheFor<Value>(clock: Clock, ms: number, read: () => Promise<Value>): Cached<Value> {
  let last: { readonly reading: Promise<Value>; readAt: Instant | undefined } | undefined

  // `abs`, as a clock that was set back must not delay the next read.
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

/**
 * One reading at a time, for all calls that came before it began. Whatever was committed before a call is in its
 * answer, whichever process committed it, and any number of calls costs no more than one reading after another.
 */
export function readTogether<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Value> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      const reading = read()
      running = reading.catch(() => undefined)
      return reading
    })
    return next
  }
}

const MAX_REMEMBERED = 4096

/** Remembers what `read` found until the next commit: another read would answer the same. */
export function whileUnchanged<Key, Value>(
  store: Pick<Store, 'look'>,
  read: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const known = new CappedMap<Key, Value>(MAX_REMEMBERED)
  let seen: number | undefined
  return async (key) => {
    const present = await store.look()
    if (present === undefined) return read(key)
    if (present !== seen) known.clear()
    seen = present
    const found = known.get(key)
    if (found !== undefined) return found
    const value = await read(key)
    // A commit meanwhile may be in `value` or not.
    if (seen === present) known.set(key, value)
    return value
  }
}
