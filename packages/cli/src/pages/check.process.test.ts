/** `blindkeep pages check`, against a real server with the built pages, behind a proxy that changes its answers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Exchanged, Message, Tampering } from '../../../../testing/tamperingProxy.ts'
import { factsOf, openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
/** Of the pages that the server serves. */
const LIST = fileURLToPath(new URL('../../../web/dist/pages.json', import.meta.url))
const LIMITS =
  /^This is what was served to this machine, now\. A server can serve another page to one person, at another time, or to browsers alone/
/** Two fifths of it are decoders of previews. */
const MAX_BYTES = 6_000_000

const check = (args: readonly string[] = [], input?: string) => {
  const line = ['pages', 'check', world.proxy.url, '--list', LIST, ...args]
  return world.run(line, input === undefined ? {} : { input: Buffer.from(input) })
}

const plain = ({ headers, body }: Message): Buffer => {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body)
  return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

/** Another byte at the end, as if it were another build. */
function changed(message: Message): Message {
  const { 'content-encoding': _, ...headers } = message.headers
  const body = Buffer.from(plain(message))
  body[body.length - 1] = (body.at(-1) ?? 0) ^ 1
  return { headers, body }
}

const answers = (matches: Tampering['matches'], answer: Tampering['answer']): Tampering =>
  answer === undefined ? { matches } : { matches, answer }
const withHeaders = (more: Message['headers']) => (message: Message) => ({
  ...message,
  headers: { ...message.headers, ...more },
})
const isScript = ({ path }: Exchanged) => /^\/assets\/link-[^/]+\.js$/.test(path)

describe('pages check', () => {
  it('says first what it cannot say, and then which release an honest server has served', async () => {
    world.proxy.tamper()
    const { status, stdout, stderr } = await check()
    assert.equal(status, 0, stderr)
    assert.match(stdout, LIMITS)
    assert.match(stdout, /\nhttp:\S+ served this machine the pages of release \d\S* at \d\d:\d\d \(/)
    assert.doesNotMatch(stdout + stderr, /unmodified/i)
    assert.match(stderr, /Only the page of a link that does not exist was asked for/)
    const [limits, result] = factsOf(await check(['--json']))
    assert.match(limits.message, LIMITS)
    assert.deepEqual([result.verdict, result.elsewhere, result.other_headers], ['same', [], []])
    assert.ok(result.bytes < MAX_BYTES, String(result.bytes))
  })

  it('finds one byte, in one coding, for one link, one browser, or the second time', async () => {
    const link = `${world.proxy.url}/u/0123456789abcdef0123456789abcdef#key`
    const cases: readonly (readonly [Tampering['matches'], readonly string[], string?])[] = [
      [isScript, []],
      [({ path }) => path === '/preview/pdfium.wasm', []],
      [(each) => isScript(each) && each.headers['accept-encoding'] === 'gzip, deflate', []],
      [(each) => isScript(each) && each.headers['accept-encoding'] === 'identity', []],
      [({ path }) => path === '/u/0123456789abcdef0123456789abcdef', ['--link', '-'], link],
      [({ headers }) => headers['user-agent'] === 'Victim/1.0', ['--user-agent', 'Victim/1.0']],
    ]
    const before = world.proxy.seen.length
    for (const [matches, args, input] of cases) {
      world.proxy.tamper(answers(matches, changed))
      const { status, stdout, stderr } = await check(args, input)
      assert.equal(status, 3, `${matches} ${stderr}`)
      assert.match(stdout, LIMITS)
      assert.match(stderr, /has other bytes than that of the release/)
      assert.match(stderr, /served this machine other pages than those of release/)
      // The id of a link is a credential, and its fragment a key.
      assert.doesNotMatch(stdout + stderr, /0123456789abcdef|#key/)
    }
    const { length } = world.proxy.seen.filter(isScript)
    let asked = 0
    world.proxy.tamper(answers((each) => isScript(each) && ++asked > 3, changed))
    assert.equal((await check(['--times', '2'])).status, 3)
    assert.equal(world.proxy.seen.filter(isScript).length, length + 6)
    assert.ok(world.proxy.seen.slice(before).every(({ path }) => !path.includes('key')))
  })

  it('finds each header that is missing, another, or may change a page', async () => {
    const isOwners = ({ path }: Exchanged) => path === '/'
    const headers: Message['headers'] = {
      'content-security-policy': "default-src 'none'; script-src 'unsafe-inline'",
      'content-type': 'text/plain',
      link: '</evil.js>; rel=preload; as=script',
      'set-cookie': ['a=b'],
      'access-control-allow-origin': '*',
      nel: '{}',
      'service-worker-allowed': '/',
    }
    world.proxy.tamper(
      answers(isOwners, (message) => {
        const { 'x-content-type-options': _, ...others } = message.headers
        return { ...message, headers: { ...others, ...headers } }
      }),
    )
    const { status, stderr } = await check()
    assert.equal(status, 1, stderr)
    for (const name of ['x-content-type-options', ...Object.keys(headers)])
      assert.match(stderr, new RegExp(`(header|it,) ${name}`))
    assert.match(stderr, /but not with its headers/)
    // Where no page is, and of what a browser has: its policy would be replaced.
    for (const matches of [
      ({ path }: Exchanged) => path.startsWith('/v1/') && path !== '/v1/version',
      ({ path }: Exchanged) => /^\/[0-9a-f]{32}$/.test(path),
      (each: Exchanged) => isOwners(each) && each.headers['if-none-match'] !== undefined,
    ]) {
      world.proxy.tamper(answers(matches, withHeaders({ 'content-security-policy': "script-src 'self'" })))
      const { status, stderr } = await check()
      assert.equal(status, 1, stderr)
      assert.match(stderr, /has another header content-security-policy: script-src 'self'/)
    }
  })

  it('takes what proxies do for no difference, and says where a browser may be sent', async () => {
    world.proxy.tamper(
      answers(
        () => true,
        (message) => {
          const { 'content-encoding': _, etag, ...headers } = message.headers
          const more = { etag: `W/${etag}`, via: '1.1 proxy', 'strict-transport-security': 'max-age=1' }
          return { headers: { ...headers, ...more, 'alt-svc': 'h3=":8443"', 'x-cache': 'HIT' }, body: plain(message) }
        },
      ),
    )
    const { status, stderr } = await check()
    assert.equal(status, 0, stderr)
    assert.match(stderr, /A browser may be sent elsewhere, where this program was not: Alt-Svc: h3=":8443"/)
    assert.match(stderr, /Other headers, of which this program knows no effect: x-cache/)
  })

  it('compares with its own list, whatever release the server names', async () => {
    const named = (version: string) =>
      answers(
        ({ path }) => path === '/v1/version',
        (message) => ({ ...message, body: Buffer.from(JSON.stringify({ name: 'blindkeep', version })) }),
      )
    world.proxy.tamper(named('99.0.0'))
    assert.equal((await check()).status, 0)
    world.proxy.tamper(
      named('99.0.0'),
      answers(({ path }) => path === '/', changed),
    )
    const { status, stderr } = await check()
    assert.equal(status, 1)
    assert.match(stderr, /says that it is release 99\.0\.0.*newer than this program: update/)
    world.proxy.tamper(answers(({ path }) => path === '/', changed))
    assert.equal((await check()).status, 3)
  })

  it('says what was found although other answers do not come', async () => {
    world.proxy.tamper(answers(isScript, changed), { matches: ({ path }) => path.startsWith('/app/'), lose: 'request' })
    const { status, stderr } = await check()
    assert.equal(status, 3, stderr)
    assert.match(stderr, /was not answered/)
    // Nor by a server that says nothing of itself the second time.
    let versions = 0
    const isSecond = ({ path }: Exchanged) => path === '/v1/version' && ++versions > 1
    world.proxy.tamper({ matches: isSecond, lose: 'request' }, answers(isScript, changed))
    assert.equal((await check(['--times', '2'])).status, 3)
    world.proxy.tamper({ matches: ({ path }) => path.startsWith('/app/'), lose: 'request' })
    assert.equal((await check()).status, 1)
    world.proxy.tamper({ matches: ({ path }) => path.startsWith('/app/'), instead: 503 })
    assert.equal((await check()).status, 1)
    world.proxy.tamper({ matches: ({ path }) => path.startsWith('/take/'), instead: 404 })
    assert.equal((await check()).status, 3)
  })

  it('reads no more of an answer than the release has', async () => {
    world.proxy.tamper(
      answers(isScript, ({ headers }) => {
        const { 'content-encoding': _, ...others } = headers
        return { headers: others, body: Buffer.alloc(20_000_000) }
      }),
    )
    const outcome = await check(['--json'])
    assert.equal(outcome.status, 3)
    world.proxy.tamper()
    const honest = factsOf(await check(['--json'])).at(-1).bytes
    // The script is asked for a few times, and comes plain in place of compressed: 55 kB more each time.
    assert.ok(factsOf(outcome).at(-1).bytes < honest + 500_000)
  })

  it('takes the address of a link from standard input only, and only of this server', async () => {
    world.proxy.tamper()
    const address = `${world.proxy.url}/u/0123456789abcdef0123456789abcdef#key`
    assert.equal((await check(['--link', address])).status, 2)
    assert.equal((await check(['--link', '-'], 'https://other.example/u/0123#key')).status, 2)
    assert.equal((await check(['--link', '-'], address)).status, 0)
  })
})
