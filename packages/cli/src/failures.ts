import {
  AddressError,
  AnswerError,
  AuditError,
  LinkError,
  NetworkError,
  ProblemError,
  SealError,
  SendError,
} from '@blindkeep/client/errors'
import { EXIT, type Exit } from './exits.ts'

export interface Failure {
  /** Ends with what to do next. Contains nothing of a link. */
  readonly message: string
  /** For programs: the name of the error, or its reason. */
  readonly reason: string
  readonly exit: Exit
}

/** What a person reads of an error: no stack, and no more than is known. */
export function failureOf(error: unknown): Failure {
  const exit = isUntrusted(error) ? EXIT.untrusted : EXIT.failed
  if (error instanceof ProblemError)
    return { message: `${error.message}${requestText(error)}`, reason: error.code, exit }
  if (error instanceof SendError)
    return { message: `${error.message}${requestText(error.cause)}`, reason: error.reason, exit }
  if (error instanceof LinkError) return { message: error.message, reason: `link_${error.reason}`, exit }
  if (error instanceof NetworkError)
    return { message: `${error.message} Call it again when the server is there.`, reason: error.failure, exit }
  if (error instanceof AuditError)
    return {
      message: `The receipt does not hold: ${error.message}. Keep the file, and tell the owner.`,
      reason: error.reason,
      exit,
    }
  if (isSystemError(error))
    return { message: `${systemText(error)} Mend that, and call it again.`, reason: error.code, exit }
  if (error instanceof Error) return { message: error.message, reason: error.name, exit }
  return { message: String(error), reason: 'unknown', exit }
}

/** What the operator needs to find the request in the server's log. */
function requestText(problem: unknown): string {
  if (!(problem instanceof ProblemError)) return ''
  const { code, status, requestId } = problem
  const named = requestId === undefined ? '' : `, request ${requestId}`
  return ` (${code === 'unknown' ? `status ${status}` : code}${named})`
}

/** Nothing that an honest server does looks like this. */
function isUntrusted(error: unknown): boolean {
  if (error instanceof LinkError) return error.reason === 'key_swapped'
  const lies = [AddressError, AnswerError, AuditError, SealError]
  return lies.some((lie) => error instanceof lie)
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}

const SYSTEM_TEXTS: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written',
  EISDIR: 'is a folder',
  ENOENT: 'does not exist',
  ENOSPC: 'cannot be written: the disk is full',
  ENOTDIR: 'has a file where a folder should be',
  EROFS: 'cannot be written: the disk is read-only',
}

function systemText({ code, path }: SystemError): string {
  return `${path ?? 'A file'} ${SYSTEM_TEXTS[code] ?? `cannot be used: the system answers ${code}`}.`
}
