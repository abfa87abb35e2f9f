import { NetworkError } from './errors.ts'

/**
 * Repeats a request once when its answer was lost. Only for requests that the server recognizes by their content, so
 * that the repeat has the same success; `send` must therefore send the same request each time, with another proof where
 * it has one. When the second answer is lost too, it is unknown whether the server has done it.
 */
export async function sendAgainWhenLost<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return send()
  }
}
