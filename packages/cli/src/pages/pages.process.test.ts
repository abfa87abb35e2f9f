/** `blindkeep pages serve` and `open` as processes, asked as a page asks them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Owner } from '@blindkeep/client/owner'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { until } from '../../../../testing/until.ts'
import { openPages, type ServedPages, servePages } from '../testing/servedPages.ts'
import { openSharedWorld } from '../testing/world.ts'

const world = await openSharedWorld()
const ada = await world.signUp('ada')
const asAda = ['--profile', 'ada', '--json']

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
    const { status, stderr } = await world.run(['pages', 'serve', '--no-open', ...asAda])
    world.proxy.tamper()
    assert.notEqual(status, 0)
    assert.match(stderr, /http:\/\/localhost:1/)
    assert.equal(world.proxy.seen.length, before + 1)
  })

  it('is for the server of the profile, and for two browsers', async () => {
    const elsewhere = await world.run(['pages', 'serve', 'https://keep.example', '--no-open', ...asAda])
    assert.equal(elsewhere.status, 2)
    assert.match(elsewhere.stderr, new RegExp(world.proxy.url))
    const both = await world.run(['pages', 'serve', '--browser', 'firefox', '--no-open', ...asAda])
    assert.deepEqual([both.status, both.stdout], [2, ''])
    const other = await world.run(['pages', 'serve', '--browser', 'safari', ...asAda])
    assert.equal(other.status, 2)
    assert.match(other.stderr, /neither Chromium nor Firefox/)
  })
})

describe('blindkeep pages open', () => {
  it('takes a link without an account, and says it to its page alone: no argument, line or request has it', async (t) => {
    const { url, opaqueId } = await ada.createLink()
    const [, key = ''] = url.split('#')
    const browser = join(world.root, 'firefox')
    await writeFile(browser, `#!/bin/sh\necho "$@" > ${browser}.arguments\n`)
    await chmod(browser, 0o700)
    const asked = world.proxy.seen.length
    const opened = await openPages(world, `${url}\n`, { flags: ['--browser', browser] })
    t.after(() => opened.end('SIGKILL'))
    const { token, ...given } = await opened.pair()
    assert.deepEqual(given, {
      is: 'paired',
      shows: 'link',
      opaque_id: opaqueId,
      fragment: `#${key}`,
      is_exposed: false,
    })
    assert.ok(world.proxy.seen.slice(asked).every(isRequest('GET', /server-info$/)))
    const link = await opened.ask(`/d/${opaqueId}`, { token })
    assert.deepEqual([link.status, link.body.opaque_id], [200, opaqueId])
    for (const path of ['/v1/account', `/d/${'0'.repeat(32)}`])
      assert.equal((await opened.ask(path, { token })).status, 403, path)
    // The keys of the server are those that commands know, and of no other server.
    const { pins } = (await opened.ask('/local/seen', { token })).body
    assert.equal(pins.serverId, world.proxy.url)
    const other = { version: 0, pins: { ...pins, serverId: 'https://other.example' } }
    assert.equal((await opened.ask('/local/seen', { method: 'PUT', token, body: other })).status, 400)

    let shown = ''
    await until(async () => {
      shown = await readFile(`${browser}.arguments`, 'utf8').catch(() => '')
      return shown !== ''
    })
    const line = process.platform === 'linux' ? await readFile(`/proc/${opened.pid}/cmdline`, 'utf8') : ''
    assert.equal(await opened.end('SIGTERM'), 0)
    for (const text of [shown, line, opened.said(), ...world.proxy.seen.map(({ path }) => path)])
      assert.equal(text.includes(key), false)
    for (const text of [shown, line, opened.said()]) assert.equal(text.includes(opaqueId), false)
    assert.equal(shown.trim(), `${opened.origin}/`)
  })

  it('refuses an address as an argument, and what is none, without showing it', async () => {
    const { url, opaqueId } = await ada.createLink()
    const [whole = '', key = ''] = url.split('#')
    const missing = await world.run(['pages', 'open'])
    assert.equal(missing.status, 2)
    assert.match(missing.stderr, /missing\. Call: blindkeep pages open - and paste/)
    const argument = await world.run(['pages', 'open', url, '--no-open'])
    assert.equal(argument.status, 2)
    assert.match(argument.stderr, /is a secret, and arguments are not/)
    const cut = await world.run(['pages', 'open', '-', '--no-open'], { input: Buffer.from(whole) })
    assert.match(cut.stderr, /part of the link after # is missing/)
    for (const { stdout, stderr } of [argument, cut])
      for (const secret of [opaqueId, key]) assert.equal(`${stdout}${stderr}`.includes(secret), false)
  })

  it('shows a person the server and the page, and nothing else of the address', async (t) => {
    const { url, opaqueId } = await ada.createLink()
    const child = world.start(['pages', 'open', '-', '--no-open'])
    t.after(() => child.kill('SIGKILL'))
    let shown = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (shown += piece))
    child.stdin?.end(url)
    await until(() => /until you press Ctrl-C/.test(shown))
    child.kill('SIGTERM')
    await once(child, 'close')
    assert.ok(shown.includes(world.proxy.url))
    for (const secret of [opaqueId, url.split('#')[1] ?? '']) assert.equal(shown.includes(secret), false)
  })
})
