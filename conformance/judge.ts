/** The rules for every answer of every operation, each with its clause of the specification. */
import assert from 'node:assert/strict'
import type { Call, Reply } from './call.ts'
import type { DeclaredOperation, ServerDocument } from './document.ts'
import { recordMet } from './metStatuses.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const WARNING = /^299 - "[^"]*\/\.well-known\/service\/deprecation[^"]*"$/
/** Headers that the document declares everywhere, but that not every answer has. */
const ONLY_SOMETIMES = ['Warning']
/** `retention_until` is as the device wrote it. */
const TIME_MEMBER = /^(active_from|active_to|cutoff|on)$|_at$|(?<!^retention)_until$/

/** Throws an `AssertionError` with the request for the first rule that the answer breaks. */
export function judge(document: ServerDocument, call: Call, reply: Reply): void {
  const path = call.path.split('?')[0] ?? ''
  const summary = `${call.method} ${call.path} answered ${reply.status} ${reply.body.subarray(0, 600).toString()}`
  try {
    judgeHeaders(path, reply)
    const operation = operationOf(document, call.method, path)
    if (operation === undefined || (operation.method !== call.method && reply.status === 405))
      judgeUnknown(document, { method: call.method, path }, reply)
    else judgeDeclared(document, operation, reply)
    judgeBodyless(call, reply)
    judgeProblem(document, reply)
    judgeJson(reply)
  } catch (fault) {
    if (!(fault instanceof assert.AssertionError)) throw fault
    const { actual, expected, operator } = fault
    throw new assert.AssertionError({ message: `${fault.message}\n  ${summary}`, actual, expected, operator })
  }
}

/** HEAD is GET without the body (RFC 9110, section 9.3.2). */
function operationOf(document: ServerDocument, method: string, path: string): DeclaredOperation | undefined {
  const exact = document.find(method, path)
  return exact ?? (method === 'HEAD' ? document.find('GET', path) : undefined)
}

function judgeHeaders(path: string, { status, headers }: Reply): void {
  assert.match(String(headers['x-request-id']), UUID, 'every answer has a request id in X-Request-Id')
  assert.equal(headers['set-cookie'], undefined, 'the service sets no cookies')
  if (path.startsWith('/v1/') || path.startsWith('/d/')) {
    assert.match(
      String(headers['x-service-protocol-min']),
      DATE,
      'answers under /v1 and /d carry X-Service-Protocol-Min',
    )
    assert.match(
      String(headers['x-service-protocol-max']),
      DATE,
      'answers under /v1 and /d carry X-Service-Protocol-Max',
    )
  }
  if (status === 401)
    assert.match(
      String(headers['www-authenticate']),
      /^Bearer realm="service"/,
      'a 401 carries a challenge (Authentication, 4)',
    )
  if (status === 405) assert.ok(headers.allow !== undefined, 'a 405 carries Allow (RFC 9110, section 15.5.6)')
  if (status === 426) assert.match(String(headers.upgrade), /^service\/\d{4}-\d{2}-\d{2}$/, 'a 426 carries Upgrade')
  if (headers.warning !== undefined)
    assert.match(headers.warning, WARNING, 'a Warning points at the deprecation path (Versioning, 4)')
  if (status === 429) assert.match(String(headers['retry-after']), /^[1-9]\d*$/, 'a 429 carries Retry-After in seconds')
  if (status === 416) assert.match(String(headers['content-range']), /^bytes \*\/\d+$/, 'a 416 carries the length')
}

function judgeUnknown(
  document: ServerDocument,
  { method, path }: { method: string; path: string },
  reply: Reply,
): void {
  const methods = document.methodsOf(path)
  recordMet(methods.length === 0 ? 'unknown path' : 'unknown method', reply.status)
  if (methods.length === 0) assert.equal(reply.status, 404, `the document has no path ${path}`)
  else assert.equal(reply.status, 405, `${path} has no ${method}`)
}

function judgeDeclared(document: ServerDocument, operation: DeclaredOperation, reply: Reply): void {
  recordMet(operation.name, reply.status)
  assert.ok(operation.statuses.includes(reply.status), `${operation.name} does not declare ${reply.status}`)
  if (reply.status < 300)
    for (const name of document.headers(operation, reply.status).filter((each) => !ONLY_SOMETIMES.includes(each)))
      assert.ok(
        reply.headers[name.toLowerCase()] !== undefined,
        `${operation.name} declares ${name} with ${reply.status}`,
      )
  if (reply.body.length === 0) return
  const mediaType = mediaTypeOf(reply)
  assert.ok(
    document.mediaTypes(operation, reply.status).includes(mediaType),
    `${operation.name} does not declare ${mediaType} with ${reply.status}`,
  )
  if (!mediaType.endsWith('json')) return
  const value: unknown = JSON.parse(reply.body.toString())
  const errors = document.errors(operation, { status: reply.status, mediaType }, value)
  assert.deepEqual(errors, [], `the body of ${operation.name} fits its schema`)
}

function judgeBodyless(call: Call, reply: Reply): void {
  const bodyless = call.method === 'HEAD' || reply.status === 204 || reply.status === 304
  if (bodyless) assert.equal(reply.body.length, 0, `${reply.status} to ${call.method} has no body`)
  if (reply.status === 413 && reply.body.length > 0)
    assert.match(
      String(JSON.parse(reply.body.toString()).code),
      /file_too_large$/,
      'a 413 for the body limit has no body',
    )
  if (call.method !== 'HEAD' && reply.status >= 400 && reply.status !== 413)
    assert.ok(reply.body.length > 0, 'a refusal is a problem (Errors, 1)')
}

/** Errors, 1 and 2. */
function judgeProblem(document: ServerDocument, reply: Reply): void {
  if (reply.status < 400 || reply.body.length === 0) return
  // /readyz is a health probe and has its own body when it fails.
  if (reply.status === 503 && mediaTypeOf(reply) === 'application/json') return
  assert.equal(mediaTypeOf(reply), 'application/problem+json', 'a refusal is application/problem+json')
  const problem = JSON.parse(reply.body.toString())
  const component = 'limit' in problem ? 'FileTooLargeProblem' : 'CodedProblem'
  assert.deepEqual(document.errorsOfComponent(component, problem), [], 'the problem fits its schema')
  assert.equal(problem.status, reply.status, 'the member status equals the status')
  assert.equal(problem.type, `/problems/${problem.code}`, 'type is the page of the code')
  assert.equal(problem.instance, `urn:uuid:${reply.headers['x-request-id']}`, 'instance is the request id')
  assert.equal(typeof problem.title, 'string', 'a problem has a title')
}

/** Times are UTC with milliseconds, and absent members are omitted instead of null. */
function judgeJson(reply: Reply): void {
  if (mediaTypeOf(reply) !== 'application/json' || reply.body.length === 0) return
  const value: unknown = JSON.parse(reply.body.toString())
  if (typeof value === 'object' && value !== null && 'openapi' in value) return
  JSON.stringify(value, (name, member) => {
    assert.notEqual(member, null, `answers omit absent members: ${name}`)
    if (TIME_MEMBER.test(name)) assert.match(String(member), TIME, `${name} is UTC with milliseconds`)
    return member
  })
}

function mediaTypeOf(reply: Reply): string {
  return (
    String(reply.headers['content-type'] ?? '')
      .split(';')[0]
      ?.trim() ?? ''
  )
}
