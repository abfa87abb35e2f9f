/** The bytes of one blob as one stream, over as many requests as the line needs. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { OperationName } from '@blindkeep/protocol/operations'
import type { Environment } from '../ground/environment.ts'
import { AnswerError, ProblemError } from './errors.ts'
import { isTransient, randomOf, retryWaitMs } from './retry.ts'

interface Ask {
  readonly headers: { readonly Range?: string }
  readonly signal: AbortSignal
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: ReadableStream<Bytes>
}

interface Download {
  readonly operation: OperationName
  /** Calls the operation with these headers and this signal. */
  readonly ask: (options: Ask) => Promise<Answer>
  readonly signal?: AbortSignal | undefined
  readonly environment: Pick<Environment, 'wait' | 'randomBytes'>
}

/**
 * Rejects with what the first call throws. When the line breaks later, or the server fails, the stream asks for the
 * bytes that are missing, as patiently as sending does. It fails with what the last call threw, with `AnswerError` for
 * an answer that does not go on where the last one ended, and with the signal's reason. The bytes may come from
 * different states of a server: the caller checks the hash of all of them.
 */
export async function openDownload({ operation, ask, signal, environment }: Download): Promise<ReadableStream<Bytes>> {
  const stopped = new AbortController()
  const either = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal])
  const first = await ask({ headers: {}, signal: either })
  let reader: ReadableStreamDefaultReader<Bytes> | undefined = first.body.getReader()
  let offset = 0
  let tries = 0

  async function continued(): Promise<ReadableStreamDefaultReader<Bytes>> {
    const answer = await ask({ headers: { Range: `bytes=${offset}-` }, signal: either })
    if (answer.status === 206 && startOf(answer.headers) === offset) return answer.body.getReader()
    await answer.body.cancel()
    throw new AnswerError(operation, `it does not begin at byte ${offset}, which was asked for`)
  }

  /** Undefined at the end. */
  async function next(): Promise<Bytes | undefined> {
    for (;;) {
      try {
        reader ??= await continued()
        const { value } = await reader.read()
        if (value === undefined) return undefined
        if (value.length === 0) continue
        offset += value.length
        tries = 0
        return value
      } catch (failure) {
        reader = undefined
        // The line broke behind the last byte.
        if (isBeyondEnd(failure) && offset > 0) return undefined
        tries += 1
        const waitMs = isTransient(failure) ? retryWaitMs({ tries, failure, random: randomOf(environment) }) : undefined
        if (waitMs === undefined) throw failure
        await environment.wait(waitMs, either)
      }
    }
  }

  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const piece = await next()
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
      async cancel(reason) {
        await reader?.cancel(reason)
        stopped.abort(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** The first byte of `bytes 5-9/10` (RFC 9110, section 14.4). */
function startOf(headers: Headers): number | undefined {
  const [, start] = /^bytes (\d{1,16})-\d{1,16}\/(?:\d{1,16}|\*)$/.exec(headers.get('Content-Range') ?? '') ?? []
  return start === undefined ? undefined : Number(start)
}

function isBeyondEnd(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.request.range_not_satisfiable'
}
