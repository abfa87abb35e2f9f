import type { OperationName } from '@blindkeep/protocol/operations'
import { PROBLEMS, type ProblemCode } from '@blindkeep/protocol/problems'

/** The members of a refusal, as far as the server sent valid ones. */
export interface ProblemFacts {
  readonly operation: OperationName
  readonly status: number
  /** `unknown`: an answer without a problem document (a proxy's, say), or with a code unknown to this client. */
  readonly code: ProblemCode | 'unknown'
  /** The server's own text, unverified. Show it as plain text or not at all. */
  readonly detail?: string | undefined
  /** `X-Request-Id`: the operator of the server can look the request up by it. */
  readonly requestId?: string | undefined
  /** Bytes of the largest sealed file that the link accepts (specification, FileTooLargeProblem). */
  readonly limit?: number | undefined
  /** Seconds to wait before the next attempt; a day at most. */
  readonly retryAfterSeconds?: number | undefined
  /** The byte from which to continue an upload (`X-Service-Offset`). */
  readonly offset?: number | undefined
  /** Of the server that was asked, as the person knows it. */
  readonly origin?: string | undefined
  /** With `error.server.moved`: where the server says that it is now, origin and path. Unverified. */
  readonly movedTo?: string | undefined
}

/** The server refused. Programs switch on `code`; the message is from the catalog, and contains no path. */
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
  readonly origin: string | undefined
  readonly movedTo: string | undefined

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
    this.origin = facts.origin
    this.movedTo = facts.movedTo
  }
}

function messageOf({ code, status }: ProblemFacts): string {
  if (code === 'unknown') return `The server, or something in front of it, answered with status ${status}.`
  const { title, help } = PROBLEMS[code]
  return `${title}. ${help}`
}

export type NetworkFailure = 'unreachable' | 'timeout' | 'cut' | 'redirected'

const NETWORK_MESSAGES: Readonly<Record<Exclude<NetworkFailure, 'redirected'>, string>> = {
  unreachable: 'The server cannot be reached, or the connection broke before it answered.',
  timeout: 'The server did not answer in time.',
  cut: 'The connection broke in the middle of the answer.',
}

/** No answer, or an incomplete one. Without path and underlying error, which may contain a link. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly failure: NetworkFailure
  /** The operating system's name of the failure, such as ECONNREFUSED, where there is one. */
  readonly systemCode: string | undefined
  /** The origin of the address that the person gave. */
  readonly given: string | undefined
  /** The origin to which a redirect points. Unverified. */
  readonly found: string | undefined

  constructor(failure: NetworkFailure, systemCode?: string, { given, found }: Origins = {}) {
    const message = failure === 'redirected' ? redirectMessage({ given, found }) : NETWORK_MESSAGES[failure]
    super(systemCode === undefined ? message : `${message} (${systemCode})`)
    this.failure = failure
    this.systemCode = systemCode
    this.given = given
    this.found = found
  }
}

/** Where a client speaks to, and where the server points. */
export interface Origins {
  /** Of the address that the person gave. */
  readonly given?: string | undefined
  /** Undefined where a browser does not tell it. */
  readonly found?: string | undefined
}

function redirectMessage({ given = 'The server', found }: Origins): string {
  return `${given} answers with a redirect to ${found ?? 'another address'}. It was not followed. If the other address is the right one, open it yourself.`
}

/** What was not done because of the other address. */
export type AddressSubject = 'proof' | 'link' | 'receipts'

const ADDRESS_MESSAGES: Readonly<Record<AddressSubject, string>> = {
  proof: 'Nothing was signed for it. Use the address that the server’s operator gave you.',
  link: 'Nothing was sent. If you know that address, open the link there, with it at the beginning. Otherwise ask for a new link, by another way.',
  receipts:
    'Its receipts count only there. If you know that address, use it. Otherwise ask the operator, by another way.',
}

/** The server, or a proxy, states another origin than the given one. */
export class AddressError extends Error {
  override readonly name = 'AddressError'
  readonly given: string
  readonly found: string
  readonly about: AddressSubject

  constructor({ given, found, about }: Pick<AddressError, 'given' | 'found' | 'about'>) {
    super(`You opened ${given}, but the server there says that it is ${found}. ${ADDRESS_MESSAGES[about]}`)
    this.given = given
    this.found = found
    this.about = about
  }
}

/** An answer that breaks the protocol: the server is broken, malicious, or no Blindkeep server. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly operation: OperationName

  constructor(operation: OperationName, fault: string) {
    super(`The answer to ${operation} does not follow the protocol: ${fault}.`)
    this.operation = operation
  }
}
