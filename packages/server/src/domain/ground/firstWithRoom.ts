/** Limits with a part kept for those who have used little of them, so that a few cannot use them up for all. */
import type { Limit, Limiter } from '../../ports/limiter.ts'

/** No alternative has room. */
interface NoRoom {
  readonly retryAfterSeconds: number
}

/** Counts an attempt against the first of `alternatives` that has room, and returns that one. */
export async function takeFirstWithRoom(
  limiter: Limiter,
  alternatives: readonly (readonly Limit[])[],
): Promise<readonly Limit[] | NoRoom> {
  let retryAfterSeconds = 1
  for (const limits of alternatives) {
    const wait = await limiter.take(limits)
    if (wait === undefined) return limits
    retryAfterSeconds = wait
  }
  return { retryAfterSeconds }
}
