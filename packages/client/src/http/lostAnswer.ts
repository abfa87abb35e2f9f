import { NetworkError } from './errors.ts'

/**
 * Sends the very same request once more when its answer was lost: for those that the server knows again by what they carry, so that the second is the
 * same success as the first. `send` must make nothing anew. A second loss is thrown, and then nobody knows whether it was done.
 */
export async function sendAgainWhenLost<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    return send()
  }
}
