import type { Bytes } from '@blindkeep/protocol/bytes'
import { NetworkError } from './errors.ts'

/** Bounds each wait of one exchange, and tells afterwards why it ended. */
export interface Watch {
  /** Give it to fetch. */
  readonly signal: AbortSignal
  /** Awaits `work` for at most the time allowed. */
  over<Result>(work: Promise<Result>): Promise<Result>
  /** No more waits follow. */
  end(): void
  /** What to throw when a wait has failed: the caller's own reason when the caller gave up, a `NetworkError` otherwise. */
  failure(error: unknown): unknown
}

/** Every wait of its own may last `timeoutMs`; a download may take hours as long as bytes keep coming. */
export function watchFor(timeoutMs: number, outer?: AbortSignal): Watch {
  const controller = new AbortController()
  let isTimeout = false
  const abort = () => controller.abort(outer?.reason)
  if (outer?.aborted === true) abort()
  else outer?.addEventListener('abort', abort, { once: true })
  return {
    signal: controller.signal,
    over: async (work) => {
      const timer = setTimeout(() => {
        isTimeout = true
        controller.abort()
      }, timeoutMs)
      try {
        return await work
      } finally {
        clearTimeout(timer)
      }
    },
    end: () => outer?.removeEventListener('abort', abort),
    failure: (error) => {
      if (outer?.aborted === true) return outer.reason
      return isTimeout ? new NetworkError('timeout') : new NetworkError('unreachable', systemCodeOf(error))
    },
  }
}

/** Node tells the system's name for a failure in the cause of what fetch throws; browsers tell nothing. */
function systemCodeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined
}

/** The same bytes. Only the time in which the consumer waits for the network counts, not the one in which it does something else. */
export function watchedStream(body: ReadableStream<Bytes> | null, watch: Watch): ReadableStream<Bytes> {
  const reader = (body ?? new Blob([]).stream()).getReader()
  return new ReadableStream<Bytes>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await watch.over(reader.read())
          if (!done) return controller.enqueue(value)
          watch.end()
          controller.close()
        } catch (error) {
          watch.end()
          const failure = watch.failure(error)
          controller.error(
            failure instanceof NetworkError && failure.failure === 'unreachable'
              ? new NetworkError('cut', failure.systemCode)
              : failure,
          )
        }
      },
      cancel: (reason) => {
        watch.end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
