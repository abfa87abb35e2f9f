import { isCount, isObject, parseJson } from '@blindkeep/protocol/json'
import { type Operation, type OperationName, operations, problemsOf, statusOf } from '@blindkeep/protocol/operations'
import { PROBLEMS, type ProblemCode } from '@blindkeep/protocol/problems'
import { HEADERS } from '@blindkeep/protocol/wire'
import { MAX_PROBLEM_BYTES, readText } from './answer.ts'
import { plainAddressOf } from './baseUrl.ts'
import { ProblemError } from './errors.ts'

const MAX_DETAIL_CHARACTERS = 500
/** A server that asks for more is asked again after a day: every wait stays one that clocks and timers can hold. */
const MAX_RETRY_AFTER_SECONDS = 86_400
const requestIdForm = /^[0-9A-Za-z-]{1,64}$/
const plainForm = /^\P{Cc}*$/u
const integerForm = /^(?:0|[1-9][0-9]{0,15})$/

/** Reads any answer of `origin` with an error status. Invalid members are left out, never guessed. */
export async function readRefusal(operation: OperationName, answer: Response, origin: string): Promise<ProblemError> {
  const document = await readDocument(answer)
  const { status, headers } = answer
  const code = codeOf(operation, document.code, status) ?? codeByStatus(operation, status)
  return new ProblemError({
    operation,
    status,
    code,
    detail: textOf(document.detail),
    requestId: matching(headers.get(HEADERS.requestId), requestIdForm),
    limit: integerOf(document.limit),
    retryAfterSeconds: retryAfterOf(headers),
    offset: headerInteger(headers, HEADERS.offset),
    origin,
    movedTo: code === 'error.server.moved' ? plainAddressOf(document.moved_to) : undefined,
  })
}

function retryAfterOf(headers: Headers): number | undefined {
  const seconds = headerInteger(headers, 'retry-after')
  return seconds === undefined ? undefined : Math.min(seconds, MAX_RETRY_AFTER_SECONDS)
}

/** A header with an integer from 0 to 2^53-1. */
export function headerInteger(headers: Headers, name: string): number | undefined {
  const text = matching(headers.get(name), integerForm)
  return text === undefined ? undefined : integerOf(Number(text))
}

async function readDocument(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(answer.body, MAX_PROBLEM_BYTES).catch(() => undefined)
  const document = text === undefined ? undefined : parseJson(text)
  return isObject(document) ? document : {}
}

function codeOf(operation: OperationName, code: unknown, status: number): ProblemCode | undefined {
  return isProblemCode(code) && statusOf(operations[operation], code) === status ? code : undefined
}

function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === 'string' && Object.hasOwn(PROBLEMS, code)
}

/**
 * An answer to HEAD has no body, and neither has a 413 for a body that is too large (specification, Limits). The code
 * is then the only one that the row declares for this status.
 */
function codeByStatus(operation: OperationName, status: number): ProblemCode | 'unknown' {
  if (status === 413) return 'error.request.payload_too_large'
  const row: Operation = operations[operation]
  if (row.method !== 'HEAD') return 'unknown'
  // No row names it: it is the only 410, and any operation may meet it.
  if (status === PROBLEMS['error.server.moved'].status) return 'error.server.moved'
  const [only, ...others] = problemsOf(row).filter((code) => statusOf(row, code) === status)
  return only !== undefined && others.length === 0 ? only : 'unknown'
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && plainForm.test(value) ? value.slice(0, MAX_DETAIL_CHARACTERS) : undefined
}

function integerOf(value: unknown): number | undefined {
  return isCount(value) ? value : undefined
}

function matching(text: string | null, form: RegExp): string | undefined {
  return text !== null && form.test(text) ? text : undefined
}
