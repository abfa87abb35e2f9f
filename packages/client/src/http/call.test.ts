import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { formatInstant, instantOf, parseAccountId } from '@blindkeep/protocol/ids'
import { type Calls, createCalls } from './call.ts'
import { AnswerError, NetworkError, ProblemError } from './errors.ts'
import { createSession, type SessionListener, type TokenPair } from './session.ts'

const opaqueId = '00112233445566778899aabbccddeeff'
const uploadId = '6f1c3f5e-8d5e-4b6f-9a51-0d0f3f9f6a11'
const dropId = '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'
const MIB = 1024 * 1024
const version = { name: 'blindkeep', version: '0.1.0' }

/** A server with the answer of the test. */
async function serverWith(
  context: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ baseUrl: string; calls: Calls }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const baseUrl = `http://127.0.0.1:${address.port}`
  return { baseUrl, calls: createCalls({ baseUrl }) }
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}

describe('a call', () => {
  it('fills the path, keeps a base path, sends JSON and returns the answer', async (context) => {
    const { baseUrl } = await serverWith(context, (request, response) => {
      assert.equal(request.url, '/keep/here/v1/auth/kdf')
      assert.equal(request.headers['content-type'], 'application/json')
      request.on('data', (body) => assert.deepEqual(JSON.parse(body), { email: 'a@b.example' }))
      request.on('end', () => json(response, 200, { kdf_version: 1, salt: 'AAAAAAAAAAAAAAAAAAAAAA==' }))
    })
    const { call } = createCalls({ baseUrl: `${baseUrl}/keep/here/` })
    const { body } = await call('kdf', { body: { email: 'a@b.example' } })
    assert.equal(body.kdf_version, 1)
  })

  it('ignores unknown members of an answer', async (context) => {
    const { calls } = await serverWith(context, (_, response) => json(response, 200, { ...version, news: true }))
    assert.deepEqual((await calls.call('version')).body, version)
  })

  const faults: readonly (readonly [string, unknown])[] = [
    ['a member is missing', { name: 'blindkeep' }],
    ['a member has another type', { ...version, version: 1 }],
    ['it is not an object', []],
  ]
  for (const [what, body] of faults)
    it(`throws AnswerError when ${what}`, async (context) => {
      const { calls } = await serverWith(context, (_, response) => json(response, 200, body))
      await assert.rejects(calls.call('version'), AnswerError)
    })

  it('takes no more of an answer than the operation can need', async (context) => {
    let sent = 0
    const { calls } = await serverWith(context, async (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      const piece = '"'.padEnd(MIB, 'x')
      for (sent = 0; sent < 60 && !response.destroyed; sent++)
        if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')])
      response.end()
    })
    await assert.rejects(
      calls.call('version'),
      (error) => error instanceof AnswerError && error.message.includes('longer than 8388608 bytes'),
    )
    assert.ok(sent < 30, `${sent} MiB were sent`)
  })

  it('reads the longest list of revoked tokens that a server may have', async (context) => {
    const token = { jti: uploadId, expires_at: formatInstant(instantOf(Date.now())) }
    // Of all accounts (`decisions/limits.md`).
    const revoked = Array.from({ length: 50_000 }, () => token)
    const list = { generated_at: token.expires_at, max_staleness_seconds: 60, revoked }
    const { calls } = await serverWith(context, (_, response) => json(response, 200, list))
    assert.equal((await calls.call('revokedJti')).body.revoked.length, 50_000)
  })

  const excesses = {
    'of brackets': ['['.repeat(3 * MIB), 'deeper than 16'],
    'of braces': ['{"a":'.repeat(MIB / 2), 'deeper than 16'],
    'of empty lists': [`[${'[],'.repeat(MIB)}0]`, 'more than 1000000 values'],
    'of numbers': [`[${'0,'.repeat(MIB)}0]`, 'more than 1000000 values'],
  } as const
  for (const [what, [text, fault]] of Object.entries(excesses))
    it(`does not parse megabytes ${what}`, async (context) => {
      const { calls } = await serverWith(context, (_, response) => response.end(text))
      await assert.rejects(
        calls.call('version'),
        (error) => error instanceof AnswerError && error.message.includes(fault),
      )
    })

  it('reads brackets, commas and quotes in a string as text', async (context) => {
    const name = `${'[{,'.repeat(MIB / 3)}\\"]"\\\\`
    const { calls } = await serverWith(context, (_, response) => json(response, 200, { ...version, name }))
    assert.equal((await calls.call('version')).body.name, name)
  })

  it('throws AnswerError for a page that is not JSON, for example of a captive portal', async (context) => {
    const { calls } = await serverWith(context, (_, response) => response.end('<html>welcome</html>'))
    await assert.rejects(calls.call('version'), AnswerError)
  })

  it('throws AnswerError for a status that the operation does not declare', async (context) => {
    const { calls } = await serverWith(context, (_, response) => response.writeHead(202).end())
    await assert.rejects(calls.call('version'), AnswerError)
  })

  it('lets a programming error through, and calls only a failure of the network one', async (context) => {
    const { baseUrl, calls } = await serverWith(context, (_, response) => json(response, 200, version))
    const circular: Record<string, unknown> = {}
    circular.email = circular
    const body = circular as { email: string }
    await assert.rejects(calls.call('kdf', { body }), (error) => error instanceof TypeError)
    const brokenRead: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      Object.defineProperty(answer, 'status', { get: () => new Map().get(1).status })
      return answer
    }
    await assert.rejects(createCalls({ baseUrl, fetch: brokenRead }).call('version'), TypeError)
    for (const send of [
      () => Promise.reject(new TypeError('fetch failed')),
      () => {
        throw new TypeError('fetch failed')
      },
    ])
      await assert.rejects(createCalls({ baseUrl, fetch: send }).call('version'), NetworkError)
  })

  it('refuses an invalid path parameter without repeating it', async (context) => {
    const { calls } = await serverWith(context, () => assert.fail('nothing is sent'))
    await assert.rejects(calls.call('guestLink', { path: { opaque_id: '../../secret' } }), (error: Error) => {
      assert.ok(error instanceof RangeError)
      return !error.message.includes('secret')
    })
  })

  it('bypasses caches, which could hold bytes that the server has repaired since', async (context) => {
    const asked: (RequestCache | undefined)[] = []
    const { baseUrl } = await serverWith(context, (_, response) => json(response, 200, version))
    const { call } = createCalls({
      baseUrl,
      fetch: (input, init) => {
        asked.push(init?.cache)
        return fetch(input, init)
      },
    })
    await call('version')
    assert.deepEqual(asked, ['no-store'])
  })

  it('follows no redirect, which would disclose the path of the link', async (context) => {
    const asked: (string | undefined)[] = []
    const { calls } = await serverWith(context, (request, response) => {
      asked.push(request.url)
      response.writeHead(307, { Location: '/elsewhere' }).end()
    })
    await assert.rejects(
      calls.call('guestLink', { path: { opaque_id: opaqueId } }),
      (error) => error instanceof NetworkError && error.failure === 'redirected' && !error.message.includes(opaqueId),
    )
    assert.deepEqual(asked, [`/d/${opaqueId}`])
  })
})

describe('a refusal', () => {
  const path = { opaque_id: opaqueId, upload_id: uploadId }

  it('is a ProblemError with the members from the server', async (context) => {
    const problem = { type: '/problems/x', status: 413, code: 'error.drop.file_too_large', detail: 'no', limit: 17 }
    const headers = { 'X-Request-Id': dropId, 'Retry-After': '7', 'X-Service-Offset': '5' }
    const { calls } = await serverWith(context, (_, response) => json(response, 413, problem, headers))
    const error: unknown = await calls.call('cancelDrop', { path }).catch((refusal: unknown) => refusal)
    assert.ok(error instanceof ProblemError)
    const { code, status, detail, requestId, limit, retryAfterSeconds, offset } = error
    assert.deepEqual(
      { code, status, detail, requestId, limit, retryAfterSeconds, offset },
      {
        code: 'error.drop.file_too_large',
        status: 413,
        detail: 'no',
        requestId: dropId,
        limit: 17,
        retryAfterSeconds: 7,
        offset: 5,
      },
    )
  })

  it('asks to wait for a day at most, however long the server names', async (context) => {
    const named = ['86400', '86401', '4503599627370496', '9007199254740991', '9007199254740992', '1e9', '-1']
    const { calls } = await serverWith(context, (_, response) =>
      json(response, 429, {}, { 'Retry-After': named[0] ?? '' }),
    )
    const waits: (number | undefined)[] = []
    for (; named.length > 0; named.shift()) {
      const error: unknown = await calls.call('version').catch((refusal: unknown) => refusal)
      assert.ok(error instanceof ProblemError)
      waits.push(error.retryAfterSeconds)
    }
    assert.deepEqual(waits, [86_400, 86_400, 86_400, 86_400, undefined, undefined, undefined])
  })

  it('has the code unknown for a proxy’s page and for an unknown code', async (context) => {
    const answers = ['<html>bad gateway</html>', JSON.stringify({ code: 'error.of.tomorrow' })]
    const { calls } = await serverWith(context, (_, response) => response.writeHead(502).end(answers.shift()))
    for (const _ of [1, 2])
      await assert.rejects(calls.call('version'), (error) => error instanceof ProblemError && error.code === 'unknown')
  })

  it('is recognized by its status when the answer has no body', async (context) => {
    const { calls } = await serverWith(context, (request, response) =>
      response.writeHead(request.method === 'HEAD' ? 404 : 413).end(),
    )
    const hasCode = (code: string) => (error: unknown) => error instanceof ProblemError && error.code === code
    await assert.rejects(calls.call('dropSession', { path }), hasCode('error.upload.session_not_found'))
    await assert.rejects(calls.call('cancelDrop', { path }), hasCode('error.request.payload_too_large'))
  })
})

describe('a broken connection', () => {
  it('is a NetworkError without address or link', async (context) => {
    const { baseUrl, calls } = await serverWith(context, (request) => request.socket.destroy())
    await assert.rejects(calls.call('guestLink', { path: { opaque_id: opaqueId } }), (error: Error) => {
      assert.ok(error instanceof NetworkError)
      assert.equal(error.cause, undefined)
      return !error.message.includes(opaqueId) && !error.message.includes(baseUrl)
    })
  })

  it('is a NetworkError when the server does not answer in time', async (context) => {
    const { calls } = await serverWith(context, () => undefined)
    await assert.rejects(
      calls.call('version', { timeoutMs: 50 }),
      (error) => error instanceof NetworkError && error.failure === 'timeout',
    )
  })

  it('rejects with the caller’s own reason when the caller aborts', async (context) => {
    const { calls } = await serverWith(context, () => undefined)
    const controller = new AbortController()
    const call = calls.call('version', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await assert.rejects(call, /enough/)
  })

  it('fails the stream of an interrupted download', async (context) => {
    const { baseUrl } = await serverWith(context, (_, response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('ten bytes.', () => response.destroy())
    })
    const { call } = createCalls({ baseUrl, tokens: { access: () => 'token', renew: async () => undefined } })
    const { body } = await call('dropContent', { path: { drop_id: dropId } })
    await assert.rejects(
      new Response(body).arrayBuffer(),
      (error) => error instanceof NetworkError && error.failure === 'cut',
    )
  })
})

describe('a session', () => {
  const accountId = parseAccountId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f')
  const expired = { type: '/problems/error.auth.session_expired', status: 401, code: 'error.auth.session_expired' }

  interface RotatingOptions extends SessionListener {
    readonly isOver?: boolean
    /** Instead of the server, something in front of it says that a token is refused. */
    readonly page?: string
  }

  /** Access tokens are `access 1`, `access 2` …; only the newest is valid. `rotations` counts the renewals. */
  async function rotating(context: TestContext, { isOver = false, page, ...listener }: RotatingOptions = {}) {
    let newest = 2
    let rotations = 0
    const { baseUrl, calls } = await serverWith(context, (request, response) => {
      if (request.url === '/v1/auth/refresh') {
        rotations++
        if (isOver) return json(response, 401, expired)
        newest++
        const pair = { access_token: `access ${newest}`, refresh_token: `refresh ${newest}`, token_type: 'Bearer' }
        return json(response, 200, { ...pair, expires_at: '2026-06-01T00:00:00.000Z', account_id: accountId })
      }
      const isNewest = request.headers.authorization === `Bearer access ${newest}`
      if (isNewest) return json(response, 200, { used: 1, state: 'ok' })
      if (page === undefined) return json(response, 401, expired)
      response.writeHead(401, { 'Content-Type': 'text/html' }).end(page)
    })
    assert.ok(accountId)
    const tokens: TokenPair = { accountId, accessToken: 'access 1', refreshToken: 'refresh 1', expiresAt: '' }
    const session = createSession({ calls, tokens, ...listener })
    return { session, calls: createCalls({ baseUrl, tokens: session }), rotations: () => rotations }
  }

  it('is renewed once for all calls that find it expired', async (context) => {
    const { session, calls, rotations } = await rotating(context)
    await Promise.all([1, 2, 3, 4].map(() => calls.call('quota')))
    assert.equal(rotations(), 1)
    assert.equal(session.current().refreshToken, 'refresh 3')
    await session.renew('access 1')
    assert.equal(rotations(), 1)
  })

  it('is renewed once when a proxy has put its page in the place of the refusal', async (context) => {
    const { session, calls, rotations } = await rotating(context, { page: '<h1>401 Authorization Required</h1>' })
    await calls.call('quota')
    assert.deepEqual([session.current().refreshToken, rotations()], ['refresh 3', 1])

    let renewals = 0
    const tokens = { access: () => 'access 1', renew: async () => void renewals++ }
    const { call } = createCalls({ ...calls.address, tokens })
    await assert.rejects(call('quota'), (error) => error instanceof ProblemError && error.status === 401)
    assert.equal(renewals, 1)
  })

  it('uses a pair only once it is stored, and the former one when storing fails', async (context) => {
    const kept: string[] = []
    const onTokens = async ({ refreshToken }: TokenPair) => {
      await Promise.resolve()
      if (kept.push(refreshToken) === 1) throw new Error('the disk is full')
    }
    const { session, calls } = await rotating(context, { onTokens })
    await assert.rejects(calls.call('quota'), /the disk is full/)
    assert.deepEqual([session.current().refreshToken, kept], ['refresh 1', ['refresh 3']])
    await calls.call('quota')
    assert.deepEqual([session.current().refreshToken, kept], ['refresh 4', ['refresh 3', 'refresh 4']])
  })

  it('is over when it cannot be renewed, and reports that', async (context) => {
    let ends = 0
    const { calls, rotations } = await rotating(context, { isOver: true, onEnded: () => void ends++ })
    await assert.rejects(
      calls.call('quota'),
      (error) => error instanceof ProblemError && error.code === 'error.auth.session_expired',
    )
    assert.deepEqual([rotations(), ends], [1, 1])
  })
})
