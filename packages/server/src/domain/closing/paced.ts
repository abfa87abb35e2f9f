import type { Clock } from '../../ports/clock.ts'

/** An answer is given again for so long. */
export const LEAST_PAUSE_MS = 60_000
/** And for so many times as long as reading it took: however much there is, it is read for a small part of the time. */
export const PAUSE_FACTOR = 50
/** But no longer: a clock that is set forward during a reading makes it seem long. */
export const MOST_PAUSE_MS = 3_600_000

/** What is long to read, for callers that ask often. One reading at a time; one that fails is not given again. */
export function paced<Value>(read: () => Promise<Value>, clock: Clock): () => Promise<Value> {
  let answer: { readonly value: Promise<Value>; readonly from: number; until: number } | undefined
  return () => {
    const from = clock.now()
    // A clock that was set back must not keep an answer for long.
    if (answer !== undefined && answer.from <= from && from < answer.until) return answer.value
    const value = read()
    const given = { value, from, until: Number.POSITIVE_INFINITY }
    answer = given
    value.then(
      () => {
        const readAt = clock.now()
        given.until = readAt + Math.min(Math.max(LEAST_PAUSE_MS, PAUSE_FACTOR * (readAt - from)), MOST_PAUSE_MS)
      },
      () => {
        given.until = Number.NEGATIVE_INFINITY
      },
    )
    return value
  }
}
