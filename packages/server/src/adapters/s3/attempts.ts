import { setTimeout as sleep } from 'node:timers/promises'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { failureOf, readError } from './failure.ts'

/** How often one call is tried in all. The library itself tries once: it could not repeat a streamed body. */
export const MAX_ATTEMPTS = 3
/** The longest pause before the second attempt; before the third it is four times as long. */
const PAUSE_MS = 100

interface Attempts {
  /** As in "failed to …". */
  readonly operation: string
  /** The last attempt's time without progress. Each earlier one has half of the next: a hung store is asked soon. */
  readonly answerMs: number
  /** Time of every attempt beyond that. */
  readonly moreMs?: number
  readonly signal?: AbortSignal | undefined
  /** 1 for what must not be repeated. */
  readonly most?: number
}

/** `progress` gives it its whole time again. */
type Work<Result> = (signal: AbortSignal, progress: () => void) => Promise<Result>

/**
 * Tries `work` until it succeeds, at most three times, with pauses of random length. Throws `S3Refusal` for every
 * failure, and the reason of `signal` as soon as that aborts.
 */
export async function attempted<Result>(
  { operation, answerMs, moreMs = 0, signal, most = MAX_ATTEMPTS }: Attempts,
  work: Work<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await bounded(work, answerMs / 2 ** (most - attempt) + moreMs, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof StorageUnavailable) throw error
      const failure = readError(error)
      if (!failure.isPassing || attempt >= most) throw failureOf(operation, failure)
    }
    await pause(Math.random() * PAUSE_MS * 4 ** (attempt - 1), signal)
  }
}

/** Rejects in time even if `work` never notices: no caller waits because a library forgot its signal. */
async function bounded<Result>(
  work: Work<Result>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const abort = new AbortController()
  const stopped = Promise.withResolvers<never>()
  const stop = (reason: unknown) => {
    stopped.reject(reason)
    abort.abort(reason)
  }
  const onAbort = () => stop(signal?.reason)
  let timer: NodeJS.Timeout | undefined = setTimeout(
    () => stop(Object.assign(new Error('too slow'), { name: 'TimeoutError' })),
    timeoutMs,
  )
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work(abort.signal, () => timer?.refresh()), stopped.promise])
  } finally {
    clearTimeout(timer)
    timer = undefined
    signal?.removeEventListener('abort', onAbort)
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
}
