import type { OperationName } from '@blindkeep/protocol/operations'
import { PROBLEMS, type ProblemCode } from '@blindkeep/protocol/problems'

/** What the members of a refusal are, as far as the server gave them and they are of their form. */
export interface ProblemFacts {
  readonly operation: OperationName
  readonly status: number
  /** `unknown` when the answer was no problem document, as of a proxy in between, or has a code that this client does not know. */
  readonly code: ProblemCode | 'unknown'
  /** The server's own words, unverified; show them as text or not at all. */
  readonly detail?: string | undefined
  /** What to tell the operator of the server (`X-Request-Id`). */
  readonly requestId?: string | undefined
  /** Largest sealed file that the link takes, in bytes (specification, FileTooLargeProblem). */
  readonly limit?: number | undefined
  /** Seconds to wait before another try. */
  readonly retryAfterSeconds?: number | undefined
  /** The byte at which an upload goes on (`X-Service-Offset`). */
  readonly offset?: number | undefined
}

/** The server refused. Switch on `code`; the message is the catalog's, never the server's, and names no path. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly operation: OperationName
  readonly status: number
  readonly code: ProblemCode | 'unknown'
  readonly detail: string | undefined
  readonly requestId: string | undefined
  readonly limit: number | undefined
  readonly retryAfterSeconds: number | undefined
  readonly offset: number | undefined

  constructor(facts: ProblemFacts) {
    super(messageOf(facts))
    this.operation = facts.operation
    this.status = facts.status
    this.code = facts.code
    this.detail = facts.detail
    this.requestId = facts.requestId
    this.limit = facts.limit
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.offset = facts.offset
  }
}

function messageOf({ code, status }: ProblemFacts): string {
  if (code === 'unknown') return `The server, or something in front of it, answered with status ${status}.`
  const { title, help } = PROBLEMS[code]
  return `${title}. ${help}`
}

export type NetworkFailure = 'unreachable' | 'timeout' | 'cut'

const NETWORK_MESSAGES: Readonly<Record<NetworkFailure, string>> = {
  unreachable: 'The server cannot be reached, or the connection broke before it answered.',
  timeout: 'The server did not answer in time.',
  cut: 'The connection broke in the middle of the answer.',
}

/** No answer, or not all of it. It carries no address and no underlying error, because those may repeat a link's path. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly failure: NetworkFailure
  /** The system's short name for it, such as ECONNREFUSED, where there is one. */
  readonly systemCode: string | undefined

  constructor(failure: NetworkFailure, systemCode?: string) {
    super(systemCode === undefined ? NETWORK_MESSAGES[failure] : `${NETWORK_MESSAGES[failure]} (${systemCode})`)
    this.failure = failure
    this.systemCode = systemCode
  }
}

/** An answer that no server of this protocol gives: a broken server, a hostile one, or none at all. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly operation: OperationName

  constructor(operation: OperationName, fault: string) {
    super(`The answer to ${operation} is not one of this protocol: ${fault}.`)
    this.operation = operation
  }
}
