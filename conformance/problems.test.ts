/** Rules of all operations that /openapi.json declares: problems, gates and their precedence, limits of bodies. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { callOf, isNegotiated, newTargets, pathOf, type Targets, withoutRightProof } from './anyRequest.ts'
import { type Call, json } from './call.ts'
import type { DeclaredOperation } from './document.ts'
import { answerOf, expectAnswer, expectBodyless413 } from './expect.ts'
import { connect } from './server.ts'
import { MIB, newLink, newOpaqueId, OCTETS } from './world.ts'

const MAX_REQUEST_BYTES = MIB
const MAX_CHUNK_BYTES = 16 * MIB
/** The statuses in the specification. The document may declare more, never less. */
const SPECIFIED: Readonly<Record<string, readonly number[]>> = {
  'GET /.well-known/service/attestation-keys': [200, 413],
  'GET /.well-known/service/deprecation': [200, 413],
  'GET /.well-known/service/revoked-jti': [200, 413, 503],
  'GET /.well-known/service/server-info': [200, 413],
  'GET /v1/assets/{asset_id}/receipts': [200, 400, 401, 403, 404, 413, 500],
  'POST /v1/storage/verify': [200, 400, 401, 403, 413, 415, 422, 500],
  'GET /v1/quota': [200, 401, 403, 413, 500],
  'POST /d/{opaque_id}': [201, 400, 403, 404, 409, 413, 415, 422, 429, 500],
  'PATCH /d/{opaque_id}/{upload_id}': [204, 400, 404, 409, 413, 415, 500],
  'GET /v1/drops': [200, 401, 403, 413, 500],
  'POST /v1/drops/links': [201, 400, 401, 403, 413, 415, 422, 500],
  'DELETE /v1/drops/links/{opaque_id}': [204, 400, 401, 403, 413, 500],
  'DELETE /v1/drops/{drop_id}': [204, 400, 401, 403, 404, 413, 500],
  'POST /v1/drops/{drop_id}/adopt': [200, 400, 401, 403, 404, 413, 415, 422, 500],
}

const server = await connect()
const { operations } = server.document
const bearerOperations = operations.filter((operation) => operation.bearer)

// Covers: Authentication 5; Errors 5
describe('the document', () => {
  it('declares at least the statuses of the specification', () => {
    for (const [name, statuses] of Object.entries(SPECIFIED)) {
      const operation = operations.find((declared) => declared.name === name)
      assert.ok(operation !== undefined, name)
      assert.deepEqual(
        statuses.filter((status) => !operation.statuses.includes(status)),
        [],
        name,
      )
    }
  })

  it('declares 413 for every operation, and 401 and 403 for every operation with a token', () => {
    for (const operation of operations) assert.ok(operation.statuses.includes(413), operation.name)
    for (const operation of bearerOperations)
      for (const status of [401, 403]) assert.ok(operation.statuses.includes(status), `${operation.name} ${status}`)
  })

  it('requires a token exactly where the specification does', () => {
    const free =
      /^\/(\.well-known|[ds]|problems)\/|^\/(v1\/(version|site)|openapi(-3\.1)?\.json|healthz|readyz|v1\/auth\/(register|nonce|kdf|login|login\/verify-totp|passkey\/login|refresh|recover\/start|recover\/finish))$/
    for (const operation of operations) assert.equal(operation.bearer, !free.test(operation.path), operation.name)
  })
})

// Covers: Errors 1; Errors 2; Errors 6; Requests
describe('problems', () => {
  it('have code, status, type, title and the id of the request', async () => {
    const reply = await server.send({ method: 'GET', path: '/v1/quota' })
    assert.equal(reply.headers['content-type'], 'application/problem+json')
    const { title, detail: _, ...problem } = json<Record<string, unknown>>(reply)
    assert.ok(typeof title === 'string' && title.length > 0)
    const code = 'error.request.unauthenticated'
    assert.deepEqual(problem, {
      type: `/problems/${code}`,
      status: 401,
      code,
      instance: `urn:uuid:${reply.headers['x-request-id']}`,
    })
  })

  it('have a page for every code', async () => {
    for (const code of server.document.codes) {
      const reply = await server.send({ method: 'GET', path: `/problems/${code}` })
      assert.equal(reply.status, 200, code)
      assert.match(String(reply.headers['content-type']), /^text\/html\b/)
      assert.ok(reply.body.toString().includes(code), code)
    }
  })

  it('have no page for an unknown code', async () => {
    for (const code of ['error.nothing', 'x', '__proto__', 'constructor', '%00', '..%2f..'])
      for (const method of ['GET', 'HEAD'] as const)
        expectAnswer(
          await server.send({ method, path: `/problems/${code}` }),
          method === 'GET' ? '404 request.not_found' : '404',
          code,
        )
  })

  it('have a new request id each time, whatever the client sends', async () => {
    const replies = await Promise.all(
      ['a', '<script>', randomUUID()].map((id) =>
        server.send({ method: 'GET', path: '/v1/version', headers: { 'x-request-id': id } }),
      ),
    )
    assert.equal(new Set(replies.map((reply) => reply.headers['x-request-id'])).size, 3)
  })
})

// Covers: Authentication 4; Versioning 3; Requests
describe('gates', () => {
  it('answer 401 with a challenge for every operation with a token', async () => {
    const targets = await newTargets(server)
    for (const operation of bearerOperations) {
      const { token: _, ...call } = callOf(operation, targets)
      const reply = await server.send(call)
      assert.equal(reply.status, 401, operation.name)
      assert.equal(reply.headers['www-authenticate'], 'Bearer realm="service"')
      const wrong = await server.send({ ...call, token: 'nonsense' })
      assert.equal(wrong.status, 401, operation.name)
      assert.match(String(wrong.headers['www-authenticate']), /^Bearer realm="service".*error="invalid_token"/)
    }
  })

  it('answer 405 with Allow for every method that a path does not have', async () => {
    const targets = await newTargets(server)
    for (const operation of operations) {
      const path = pathOf(operation, targets).split('?')[0] ?? ''
      const has = server.document.methodsOf(path)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        if (has.includes(method)) continue
        const reply = await server.send({ method, path })
        expectAnswer(reply, '405 request.method_not_allowed', `${method} ${path}`)
        const allowed = String(reply.headers.allow).split(/, */)
        assert.deepEqual(
          has.filter((known) => !allowed.includes(known)),
          [],
          `${path} ${allowed}`,
        )
        assert.deepEqual(
          allowed.filter((name) => ![...has, 'HEAD', 'OPTIONS'].includes(name)),
          [],
          `${path} ${allowed}`,
        )
      }
    }
  })

  it('check route and method first', async () => {
    const headers = { 'x-service-protocol': 'nonsense', authorization: 'nonsense', 'content-type': 'nonsense' }
    for (const method of ['GET', 'POST'])
      expectAnswer(await server.send({ method, path: '/v1/nothing', headers }), '404 request.not_found')
    for (const path of ['/v1/quota', `/d/${newOpaqueId()}`, '/d/x', '/v1/drops/links/x'])
      expectAnswer(
        await server.send({ method: 'PUT', path, headers, body: 'x' }),
        '405 request.method_not_allowed',
        path,
      )
  })

  it('check a request in the same order for every operation, and answer the first fault', async () => {
    const targets = await newTargets(server)
    for (const operation of operations) {
      const faults = FAULTS.filter((fault) => fault.meets(operation))
      for (const [index, fault] of faults.entries()) {
        const call = faults
          .slice(index)
          .reduceRight<Call>((made, next) => next.into(made, operation, targets), callOf(operation, targets))
        const reply = await server.send(call)
        const expected = fault.answer(operation)
        const head = operation.method === 'HEAD' || expected === '413'
        assert.equal(
          head ? String(reply.status) : answerOf(reply),
          head ? expected.slice(0, 3) : expected,
          `${operation.name}: ${fault.name}`,
        )
      }
    }
  })

  it('answer 400 to a malformed protocol header before they check the id', async () => {
    const headers = { 'x-service-protocol': 'nonsense' }
    expectAnswer(await server.send({ method: 'GET', path: '/d/x', headers }), '400 request.malformed')
    expectAnswer(await server.send({ method: 'GET', path: `/d/${newOpaqueId()}`, headers }), '400 request.malformed')
  })

  it('answer 426 to a new drop outside the window, and never to a chunk, a state or a cancel', async () => {
    const { session } = await newTargets(server)
    const headers = { 'x-service-protocol': '1999-12-31' }
    const path = `/d/${session.opaqueId}`
    expectAnswer(await server.send({ method: 'POST', path, json: {}, headers }), '426 protocol.version_unsupported')
    expectAnswer(
      await server.send({ method: 'POST', path: '/d/x', json: {}, headers }),
      '426 protocol.version_unsupported',
    )
    assert.equal((await server.send({ method: 'HEAD', path: `${path}/${session.uploadId}`, headers })).status, 200)
    expectAnswer(
      await server.send({ method: 'PATCH', path: `${path}/${session.uploadId}`, headers, body: 'x' }),
      '415 request.unsupported_media_type',
    )
    expectAnswer(await server.send({ method: 'DELETE', path: `${path}/${session.uploadId}`, headers }), '204')
  })
})

interface Fault {
  readonly name: string
  meets(operation: DeclaredOperation): boolean
  into(call: Call, operation: DeclaredOperation, targets: Targets): Call
  answer(operation: DeclaredOperation): string
}

const takesJson = (operation: DeclaredOperation) => operation.bodyType === 'application/json'
const withHeader = (call: Call, name: string, value: string | undefined): Call => ({
  ...call,
  headers: { ...call.headers, [name]: value },
})
const withText = ({ json: _, ...call }: Call, body: string): Call =>
  withHeader({ ...call, body }, 'content-type', String(call.headers?.['content-type'] ?? 'application/json'))

const MALFORMED_IDS = {
  opaque_id: 'x',
  upload_id: 'x',
  drop_id: 'x',
  bin_id: 'x',
  session_id: 'x',
  device_id: 'x',
  passkey_id: 'x',
  channel_id: 'x',
  album_id: 'x',
  jti: 'x',
  asset_id: 'x',
  hash: 'x',
}

/** In the order of the checks. Each fault is added to a request with all later ones. */
const FAULTS: readonly Fault[] = [
  {
    name: 'no token',
    meets: (operation) => operation.bearer,
    into: ({ token: _, ...call }) => call,
    answer: () => '401 request.unauthenticated',
  },
  {
    name: 'malformed header',
    meets: isNegotiated,
    into: (call) => withHeader(call, 'x-service-protocol', 'nonsense'),
    answer: () => '400 request.malformed',
  },
  {
    name: 'protocol outside the window',
    meets: (operation) => operation.statuses.includes(426),
    into: (call) => withHeader(call, 'x-service-protocol', '1999-12-31'),
    answer: () => '426 protocol.version_unsupported',
  },
  {
    name: 'malformed path id',
    meets: (operation) => /\{(\w+_id|hash|jti)\}/.test(operation.path),
    into: (call, operation, targets) => ({ ...call, path: pathOf(operation, targets, MALFORMED_IDS) }),
    answer: ({ path }) => {
      if (path.startsWith('/s/')) return '404 share.not_found'
      if (!path.startsWith('/d/')) return '400 request.malformed'
      return path.includes('upload_id') ? '404 upload.session_not_found' : '404 drop.link_not_found'
    },
  },
  {
    name: 'content type',
    meets: (operation) => operation.bodyType !== undefined,
    into: (call) => withHeader(call, 'content-type', 'text/plain'),
    answer: () => '415 request.unsupported_media_type',
  },
  {
    name: 'body limit',
    meets: (operation) => operation.bodyType !== OCTETS,
    into: (call, operation) =>
      takesJson(operation)
        ? withText(call, '{'.repeat(MAX_REQUEST_BYTES + 1))
        : { ...call, body: '{'.repeat(MAX_REQUEST_BYTES + 1) },
    answer: () => '413',
  },
  {
    name: 'broken JSON',
    meets: takesJson,
    into: (call) => withText(call, '{"unknown":1'),
    answer: () => '400 request.malformed',
  },
  {
    name: 'unknown field',
    meets: takesJson,
    into: (call) => withText(call, '{"unknown":1}'),
    answer: () => '400 request.malformed',
  },
  {
    name: 'missing fields',
    // A merge patch requires none (RFC 7396).
    meets: (operation) => takesJson(operation) && operation.method !== 'PATCH',
    into: (call) => ({ ...call, json: {} }),
    answer: () => '422 request.unprocessable',
  },
  {
    name: 'invalid proof',
    meets: (operation) => operation.proves,
    into: (call, operation) => ({ ...call, json: withoutRightProof(operation) }),
    answer: () => '401 auth.proof_invalid',
  },
]

// Covers: Errors 4, 413; Limits, request body; Requests
describe('body limit', () => {
  it('is answered by a 413 without a body for every operation, with and without Content-Length', async () => {
    // A refused request changes nothing, so all can share the targets.
    const targets = await newTargets(server)
    for (const operation of operations) {
      const limit = operation.bodyType === OCTETS ? MAX_CHUNK_BYTES : MAX_REQUEST_BYTES
      const { json: _, ...call } = callOf(operation, targets)
      const type = takesJson(operation) ? { 'content-type': 'application/json' } : {}
      for (const withoutLength of [false, true])
        expectBodyless413(
          await server.send({
            ...call,
            body: Buffer.alloc(limit + 1, 0x20),
            headers: { ...call.headers, ...type },
            withoutLength,
          }),
          `${operation.name} ${withoutLength ? 'chunked' : 'with Content-Length'}`,
        )
    }
  })

  it('applies also to operations without a body', async () => {
    // What reads can share its targets; what removes needs its own.
    const shared = await newTargets(server)
    for (const operation of operations.filter(({ bodyType }) => bodyType === undefined)) {
      const targets = ['GET', 'HEAD'].includes(operation.method) ? shared : await newTargets(server)
      const reply = await server.send({ ...callOf(operation, targets), body: Buffer.alloc(MAX_REQUEST_BYTES, 0x20) })
      assert.notEqual(reply.status, 413, operation.name)
      assert.ok(reply.status < 500, operation.name)
    }
  })

  it('reserves no caps or quota for a declaration that is too large', async () => {
    const link = await newLink(server, { max_file_count: 1 })
    const body = '{"size":1}'.padEnd(MAX_REQUEST_BYTES + 1)
    expectBodyless413(
      await server.send({
        method: 'POST',
        path: `/d/${link.opaqueId}`,
        body,
        headers: { 'content-type': 'application/json' },
      }),
    )
  })
})
