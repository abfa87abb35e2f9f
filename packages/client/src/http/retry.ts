/** When a failed call is made again, and after how long: one rule for sending, downloads and live events. */
import type { Environment } from '../ground/environment.ts'
import { NetworkError, ProblemError } from './errors.ts'

/** Failures in a row without progress before a caller stops: about three minutes. */
export const MAX_TRIES = 12
const BACKOFF_MS = { first: 500, max: 30_000 }
/** Beyond it a caller stops and the person, who waits for a download, decides. Sendings continue by themselves. */
const MAX_RETRY_AFTER_SECONDS = 60
export const MAX_SENDING_RETRY_AFTER_SECONDS = 70 * 60

interface Retry {
  /** Failures in a row, with this one. */
  readonly tries: number
  readonly failure: unknown
  /** From 0 up to 1. */
  readonly random: number
  readonly maxRetryAfterSeconds?: number
}

/** Milliseconds until the next try; undefined when the caller should stop. */
export function retryWaitMs({
  tries,
  failure,
  random,
  maxRetryAfterSeconds = MAX_RETRY_AFTER_SECONDS,
}: Retry): number | undefined {
  const retryAfterSeconds = failure instanceof ProblemError ? (failure.retryAfterSeconds ?? 0) : 0
  if (tries > MAX_TRIES || retryAfterSeconds > maxRetryAfterSeconds) return undefined
  return Math.max(retryAfterSeconds * 1000, backoffMs(tries, random))
}

/** Exponential backoff with jitter, so that many clients do not return at the same time. `tries`: from 1 on. */
export function backoffMs(tries: number, random: number): number {
  return Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** (tries - 1)) * (0.5 + random / 2)
}

export function randomOf({ randomBytes }: Pick<Environment, 'randomBytes'>): number {
  return (randomBytes(1)[0] ?? 0) / 256
}

/** Whether a read that failed may succeed later. A redirect stays one. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NetworkError) return error.failure !== 'redirected'
  return error instanceof ProblemError && (error.status === 408 || error.status === 429 || error.status >= 500)
}
