import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { freePort, type RunningServer, startServer } from '../../../../testing/startServer.ts'
import { until } from '../../../../testing/until.ts'

const TOKEN = 'a-token-for-monitoring'

interface Asked {
  readonly method?: string
  readonly body?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks with any Host header, which `fetch` does not allow. */
async function ask(port: number, { method = 'GET', path = '/metrics', headers = {}, body }: Asked = {}) {
  const sent = request({ host: '127.0.0.1', port, method, path, headers }).end(body)
  const [answer] = await once(sent, 'response')
  let text = ''
  for await (const piece of answer.setEncoding('utf8')) text += piece
  return { status: answer.statusCode, type: answer.headers['content-type'], headers: answer.headers, text }
}

/** Begins to send a form, and disconnects once the server reads it. */
async function breakOff(port: number): Promise<void> {
  const headers = { 'content-length': '100', expect: '100-continue' }
  const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/status', headers }).on('error', () => {})
  const isGone = new Promise((resolve) => sent.once('close', resolve))
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.destroy()
  await isGone
}

/** The value of a sample, by its name with labels as the text has them. */
function sampleOf(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
  return line === undefined ? undefined : Number(line.slice(sample.length + 1))
}

describe('a server without METRICS_PORT', () => {
  it('has no metrics', async () => {
    const server = await startServer()
    try {
      assert.equal((await fetch(`${server.url}/metrics`)).status, 404)
    } finally {
      await server.stop()
    }
  })
})

describe('metrics on a loopback address', () => {
  let server: RunningServer
  let port: number

  before(async () => {
    port = await freePort()
    server = await startServer({ env: { METRICS_PORT: String(port) } })
  })
  after(() => server.stop())

  it('count requests by operation and class of status, and refusals by problem code', async () => {
    await fetch(`${server.url}/v1/quota`)
    await fetch(`${server.url}/there/is/nothing`)
    const { status, type, text } = await ask(port)
    assert.equal(status, 200)
    assert.match(String(type), /^text\/plain; version=0\.0\.4/)
    const seconds = 'blindkeep_http_request_duration_seconds_count'
    assert.equal(sampleOf(text, `${seconds}{operation="quota",status="4xx"}`), 1)
    assert.equal(sampleOf(text, `${seconds}{operation="none",status="4xx"}`), 1)
    assert.ok(Number(sampleOf(text, `${seconds}{operation="readyz",status="2xx"}`)) >= 1)
    assert.equal(sampleOf(text, 'blindkeep_http_problems_total{code="error.request.unauthenticated"}'), 1)
    assert.ok(Number(sampleOf(text, 'blindkeep_http_received_bytes_total')) > 100)
    assert.ok(Number(sampleOf(text, 'blindkeep_http_sent_bytes_total')) > 100)
  })

  it('count a request that its client cut off, and do not count it as under way any more', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '1000' }
    const path = '/v1/auth/login'
    const sent = request({ host: '127.0.0.1', port: server.port, method: 'POST', path, headers }).on('error', () => {})
    sent.write('{')
    const open = 'blindkeep_http_requests_open{operation="login"}'
    await until(async () => sampleOf((await ask(port)).text, open) === 1)
    sent.destroy()
    const cut = 'blindkeep_http_request_duration_seconds_count{operation="login",status="cut"}'
    await until(async () => sampleOf((await ask(port)).text, cut) === 1)
    assert.equal(sampleOf((await ask(port)).text, open), 0)
  })

  it('say that database and bytes are there, and how much space is free', async () => {
    const { text } = await ask(port)
    for (const flag of ['blindkeep_ready', 'blindkeep_database_up', 'blindkeep_bytes_up'])
      assert.equal(sampleOf(text, flag), 1, flag)
    assert.equal(sampleOf(text, 'blindkeep_database_set_back'), 0)
    assert.ok(Number(sampleOf(text, 'blindkeep_free_bytes')) > 0)
  })

  it('are not read by a page of another site whose name points to this machine', async () => {
    for (const path of ['/metrics', '/status']) {
      const { status, text } = await ask(port, { path, headers: { host: `evil.example:${port}` } })
      assert.equal(status, 421)
      assert.doesNotMatch(text, /blindkeep_|Accounts/)
    }
  })

  it('have a page of the same facts beside them, which runs no script and is not embedded', async () => {
    const { status, text, headers } = await ask(port, { path: '/status' })
    assert.equal(status, 200)
    assert.match(text, /<th scope="row">Accounts<\/th><td>0, 0 suspended<\/td>/)
    assert.match(text, /<h2>To look at<\/h2>\n<p>Nothing\.<\/p>/)
    assert.doesNotMatch(text, /<script|<form| on[a-z]+=| style=/)
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
    assert.equal((await ask(port, { path: '/status', method: 'POST' })).status, 405)
  })

  it('are shown in no frame and embedded in no page of another site, nor is any other answer beside them', async () => {
    const other = { host: `evil.example:${port}` }
    const asked = [{}, { path: '/status' }, { path: '/' }, { method: 'POST' }, { headers: other }]
    const answers = await Promise.all(asked.map((each) => ask(port, each)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 404, 405, 421],
    )
    for (const { headers } of answers) {
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; .*frame-ancestors 'none'/)
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    }
  })

  it('are at one path, for GET', async () => {
    assert.equal((await ask(port, { path: '/' })).status, 404)
    assert.equal((await ask(port, { method: 'POST' })).status, 405)
  })

  it('are not on the port of the service', async () => {
    assert.equal((await fetch(`${server.url}/metrics`)).status, 404)
  })
})

describe('metrics with a token', () => {
  it('answer only who has it, and neither log nor answer name it', async () => {
    const port = await freePort()
    const server = await startServer({
      env: { METRICS_PORT: String(port), METRICS_HOST: '0.0.0.0', METRICS_TOKEN: TOKEN },
    })
    try {
      const statusWith = async (authorization?: string) =>
        (await ask(port, { headers: { host: 'node-a:9464', ...(authorization !== undefined && { authorization }) } }))
          .status
      assert.equal(await statusWith(), 401)
      assert.equal(await statusWith(`Bearer ${TOKEN}x`), 401)
      assert.equal(await statusWith(TOKEN), 401)
      assert.equal(await statusWith(`Bearer ${TOKEN}`), 200)
      const authorised = { authorization: `Bearer ${TOKEN}` }
      const { text } = await ask(port, { headers: authorised })
      const page = (asked: Asked) => ask(port, { ...asked, path: '/status' })
      const form = (token: string) => page({ method: 'POST', body: new URLSearchParams({ token }).toString() })
      const closed = await page({})
      assert.equal(closed.status, 401)
      assert.match(closed.text, /<form method="post">\s*<label for="token">/)
      const wrong = await form(`${TOKEN}x`)
      assert.equal(wrong.status, 401)
      assert.match(wrong.text, /role="alert">That is not the token/)
      assert.equal((await form('x'.repeat(10_000))).status, 401)
      for (const open of [await form(TOKEN), await page({ headers: authorised })]) {
        assert.equal(open.status, 200)
        assert.match(open.text, /Accounts/)
        assert.ok(!open.text.includes(TOKEN))
        assert.deepEqual([open.headers['set-cookie'], open.headers.location], [undefined, undefined])
      }
      assert.ok(!text.includes(TOKEN))
      assert.ok(!server.log().includes(TOKEN))
      await breakOff(port)
      await until(async () => (await ask(port, { headers: authorised })).status === 200)
      assert.doesNotMatch(server.log(), /"level":50/, 'a form that is broken off')
    } finally {
      await server.stop()
    }
  })
})
