import { isTransient, NetworkError, ProblemError, SendError } from '@blindkeep/client/errors'

/** `already`: another tab, device or call had done it before. `stopped`: nothing was done, as its owner wishes. */
export type Outcome = 'done' | 'already' | 'stopped'

/** A server that answers and cannot do it may never do it. A line that is away comes back. */
const MAX_ANSWERED_TRIES = 6
const REST_MS = { first: 1_000, max: 30_000 }
/** A server cannot make the page wait longer than this between two tries. */
const MAX_RETRY_AFTER_MS = 300_000

/** Milliseconds until the next try. Undefined if the item has failed. */
export function restMsAfter(error: unknown, tries: number): number | undefined {
  const cause = error instanceof SendError && error.reason === 'server_unavailable' ? (error.cause ?? error) : error
  const mayEnd = isTransient(cause) || cause instanceof SendError
  if (!mayEnd || (!(cause instanceof NetworkError) && tries >= MAX_ANSWERED_TRIES)) return undefined
  const askedMs = cause instanceof ProblemError ? (cause.retryAfterSeconds ?? 0) * 1000 : 0
  const ownMs = Math.min(REST_MS.max, REST_MS.first * 2 ** (tries - 1))
  return Math.max(ownMs, Math.min(askedMs, MAX_RETRY_AFTER_MS))
}
