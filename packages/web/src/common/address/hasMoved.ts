import { ProblemError, SendError } from '@blindkeep/client/errors'

/** The server says that it is at another address now. A reload of the page leads there. */
export function hasMoved(error: unknown): boolean {
  if (error instanceof SendError) return hasMoved(error.cause)
  return error instanceof ProblemError && error.code === 'error.server.moved'
}
