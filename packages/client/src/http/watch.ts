import type { Bytes } from '@blindkeep/protocol/bytes'
import { AnswerError, NetworkError, ProblemError } from './errors.ts'

/** Limits how long each step of one exchange may take, and says afterwards why it ended. */
export interface Watch {
  /** For fetch. */
  readonly signal: AbortSignal
  /** Awaits `work` of the network, aborts after `timeoutMs`, and rejects with `failure` of its error. */
  over<Result>(work: Promise<Result>): Promise<Result>
  /** Call it after the last step. */
  end(): void
  /** The error to throw: the caller's reason for an abort, this client's own errors, otherwise a `NetworkError`. */
  failure(error: unknown): unknown
}

/** The network throws none of these. `TypeError` is not among them: `fetch` throws it. */
const OWN_ERRORS = [ProblemError, AnswerError, NetworkError, RangeError, ReferenceError, SyntaxError]

interface WatchOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** The origin that is asked. */
  readonly given: string
}

/** Each step may take `timeoutMs`; a download may take hours as long as bytes arrive. */
export function watchFor({ timeoutMs, signal: outer, given }: WatchOptions): Watch {
  const controller = new AbortController()
  let isTimeout = false
  const abort = () => controller.abort(outer?.reason)
  const failure = (error: unknown): unknown => {
    if (OWN_ERRORS.some((kind) => error instanceof kind)) return error
    if (outer?.aborted === true) return outer.reason
    return isTimeout
      ? new NetworkError('timeout', undefined, { given })
      : new NetworkError('unreachable', systemCodeOf(error), { given })
  }
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
      } catch (error) {
        throw failure(error)
      } finally {
        clearTimeout(timer)
      }
    },
    end: () => outer?.removeEventListener('abort', abort),
    failure,
  }
}

/** Node gives the system's name in the cause of the error; browsers give none. */
function systemCodeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : undefined
}

/** The same bytes. Counts only the time in which the consumer waits for the network. */
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
              ? new NetworkError('cut', failure.systemCode, failure)
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
