/** `blindkeep pages serve` as a process, asked as a page asks it. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Owner } from '@blindkeep/client/owner'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { type ServedPages, servePages } from '../testing/servedPages.ts'
import { openWorld } from '../testing/world.ts'

const world = await openWorld()
await world.signUp('ada')
const ada = ['--profile', 'ada', '--json']

async function serve(t: TestContext): Promise<ServedPages> {
  const served = await servePages(world, 'ada')
  t.after(() => served.end('SIGKILL'))
  return served
}

describe('blindkeep pages serve', () => {
  it('shows the page’s code in the terminal, gives it the account, and passes on what it asks', async (t) => {
    const served = await serve(t)
    assert.deepEqual((await served.ask('/local.json')).body, {
      format: 'blindkeep/local/1',
      origin: served.origin,
      server_url: world.proxy.url,
    })
    const paired = await served.pair()
    const account = await served.ask('/v1/account', { token: paired.token })
    assert.deepEqual([account.status, account.body.account_id], [200, paired.account_id])
    assert.doesNotMatch(JSON.stringify(paired.tokens), /eyJ/, 'no token of the server')
    assert.equal(await served.end('SIGTERM'), 0)
  })

  it('keeps what a page has seen for the next start, and refuses what another page has not read', async (t) => {
    const first = await serve(t)
    const { token } = await first.pair()
    const before = (await first.ask('/local/seen', { token })).body
    assert.equal(before.seen, null)
    const device = '0198f0a0-0000-7000-8000-000000000001'
    const body = { version: before.version, seen: { changeSeq: 7 }, revoked: [[device, '2026-01-01T00:00:00.000Z']] }
    const put = { method: 'PUT', token, body }
    assert.equal((await first.ask('/local/seen', put)).status, 200)
    assert.equal((await first.ask('/local/seen', put)).status, 409)
    await first.end('SIGTERM')

    const second = await serve(t)
    assert.equal((await second.ask('/local/seen', { token })).status, 401, 'the token of a former start')
    const seen = (await second.ask('/local/seen', { token: (await second.pair()).token })).body
    assert.deepEqual([seen.seen, seen.revoked], [{ changeSeq: 7 }, [[device, '2026-01-01T00:00:00.000Z']]])
    await second.end('SIGTERM')
  })

  it('ends in order with its terminal', async (t) => {
    const served = await serve(t)
    assert.equal(await served.end('SIGHUP'), 130)
  })

  const ends: Readonly<Record<string, (elsewhere: Owner, name: string) => Promise<unknown>>> = {
    'a command signs the profile out': (_, name) => world.run(['logout', '--yes', '--profile', name]),
    'the session ends elsewhere': async (elsewhere) => {
      for (const { isCurrent, sessionId } of await elsewhere.sessions())
        if (!isCurrent) await elsewhere.endSession(sessionId)
    },
  }
  for (const [index, [what, end]] of Object.entries(ends).entries())
    it(`ends when ${what}`, async (t) => {
      const name = `ended-${index}`
      const elsewhere = await world.signUp(name)
      const served = await servePages(world, name)
      t.after(() => served.end('SIGKILL'))
      const { token } = await served.pair()
      await end(elsewhere, name)
      assert.equal((await served.ask('/v1/account', { token })).status, 401)
      // Whatever the page hears: its program is ending.
      await served.ask('/v1/auth/refresh', { method: 'POST', token }).catch(() => undefined)
      assert.equal(await served.ended(), 1)
    })

  it('does not start when the server names another one, and asks it for nothing else', async () => {
    world.proxy.tamper({
      matches: isRequest('GET', /server-info$/),
      answer: changeBody((body) => void Object.assign(body, { server_id: 'http://localhost:1' })),
    })
    const before = world.proxy.seen.length
    const { status, stderr } = await world.run(['pages', 'serve', '--no-open', ...ada])
    world.proxy.tamper()
    assert.notEqual(status, 0)
    assert.match(stderr, /http:\/\/localhost:1/)
    assert.equal(world.proxy.seen.length, before + 1)
  })

  it('is for the server of the profile, and for two browsers', async () => {
    const elsewhere = await world.run(['pages', 'serve', 'https://keep.example', '--no-open', ...ada])
    assert.equal(elsewhere.status, 2)
    assert.match(elsewhere.stderr, new RegExp(world.proxy.url))
    const other = await world.run(['pages', 'serve', '--browser', 'safari', ...ada])
    assert.equal(other.status, 2)
    assert.match(other.stderr, /neither Chromium nor Firefox/)
  })
})
