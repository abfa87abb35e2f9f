import { AnswerError, NetworkError, ProblemError } from './errors.ts'

/**
 * Whether the server may have done what was asked: its answer was lost, came from a proxy in its place, or says that
 * it failed. Any other refusal is certain: nothing was done.
 */
export function mayBeDone(error: unknown): boolean {
  if (error instanceof ProblemError) return error.code === 'unknown' || error.status >= 500
  return error instanceof NetworkError || error instanceof AnswerError
}

/**
 * Repeats a request once when its answer was lost, also behind the page of a proxy that waited no longer. Only for
 * requests that the server recognizes by their content, so that the repeat has the same success; `send` must therefore
 * send the same request each time, with another proof where it has one. When the second answer is lost too, or only
 * came too soon, it is unknown whether the server has done it (`mayBeDone`).
 */
export async function sendAgainWhenLost<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send()
  } catch (lost) {
    if (!isLost(lost)) throw lost
    return await send().catch((error: unknown) => {
      throw isTooSoon(error) ? lost : error
    })
  }
}

function isLost(error: unknown): boolean {
  if (error instanceof ProblemError) return error.code === 'unknown' && error.status >= 500
  return error instanceof NetworkError
}

/** It says nothing of the first request. */
function isTooSoon(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 429
}
