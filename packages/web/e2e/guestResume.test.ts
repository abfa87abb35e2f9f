/** Stories of guests whose tab, line or patience ended before their files had landed. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it, type TestContext } from 'node:test'
import type { Owner } from '@blindkeep/client/owner'
import type { BrowserContext, Page } from 'playwright-core'
import { isRequest } from '../../../testing/maliciousServer.ts'
import { newOwner } from '../../../testing/people.ts'
import { type Exchanged, startTamperingProxy, type TamperingProxy } from '../../../testing/tamperingProxy.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { button, choose, contentOf, done, MIB, rowOf, type SomeFile, seal, someFile } from './guestPage.ts'
import { startWorld, type World } from './world.ts'

const DROPS = /^\/d\//
const browser = useBrowser()

/** Counts what is sent, and can hold it back. */
let proxy: TamperingProxy
let world: World
let owner: Owner

before(async () => {
  proxy = await startTamperingProxy()
  world = await startWorld({ publicUrl: proxy.url })
  proxy.forwardTo(world.server.url)
  owner = await newOwner(world.server.url)
})
afterEach(() => proxy.tamper())
after(async () => {
  await world.stop()
  await proxy.close()
})

const offsetOf = ({ headers }: Exchanged) => Number(headers['x-service-offset'])
const chunksSince = (from: number) => proxy.seen.slice(from).filter(isRequest('PATCH', DROPS))

interface Begun {
  readonly url: string
  readonly opaqueId: string
  readonly page: Page
  readonly context: BrowserContext
  /** How much had been asked of the server when it began. */
  readonly from: number
}

/** Sends until a mebibyte is acknowledged, and no further: the line loses every chunk after the first. */
async function begun(t: TestContext, file: SomeFile): Promise<Begun> {
  const { url, opaqueId } = await world.link({ owner })
  const from = proxy.seen.length
  const { page, context } = await browser.open(t, { url })
  await choose(page, file)
  proxy.tamper({
    matches: (exchange) => isRequest('PATCH', DROPS)(exchange) && offsetOf(exchange) > 0,
    lose: 'request',
  })
  await seal(page)
  await rowOf(page, file.name).getByText('No connection. It goes on by itself.').waitFor()
  return { url, opaqueId, page, context, from }
}

/** Whoever leaves is asked first, and leaves. */
async function reload(page: Page): Promise<void> {
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
}

describe('a reload in the middle', () => {
  it('is warned of; afterwards the same file goes on, and no acknowledged chunk is carried twice', async (t) => {
    const film = someFile('film.mp4', 5 * MIB)
    const { page, from } = await begun(t, film)
    let isAsked = false
    page.once('dialog', (dialog) => {
      isAsked = true
      return dialog.accept()
    })
    await page.reload()
    assert.ok(isAsked)
    await page.getByRole('heading', { name: '1 file was not finished' }).waitFor()
    await page.getByText('19% is on the server').waitFor()
    await assertAccessible(page)
    const acknowledged = chunksSince(from).filter((chunk) => offsetOf(chunk) === 0).length
    assert.equal(acknowledged, 1)
    proxy.tamper()
    const resumed = proxy.seen.length
    await choose(page, film)
    await done(page)
    const offsets = chunksSince(resumed).map(offsetOf)
    assert.ok(Math.min(...offsets) >= MIB, `it began at ${Math.min(...offsets)}`)
    assert.equal(new Set(offsets).size, offsets.length)
    assert.ok((await contentOf(owner, 'film.mp4')).equals(film.buffer))
    await page.reload()
    await rowOf(page, 'film.mp4')
      .getByText(/^Landed /)
      .waitFor()
    assert.equal(await page.getByText('not finished').count(), 0)
    await button(page, 'Forget on this device').click()
    await page.reload()
    await button(page, 'Choose files').waitFor()
    assert.equal(await page.getByText('film.mp4').count(), 0)
  })

  it('with a file that has changed since refuses it, and sends it as a new one when told to', async (t) => {
    const report = someFile('report.txt', 2 * MIB)
    const { page } = await begun(t, report)
    await reload(page)
    await page.getByText('1 file was not finished').waitFor()
    proxy.tamper()
    const from = proxy.seen.length
    const changed = { ...report, buffer: Buffer.concat([report.buffer, Buffer.from('more')]) }
    await choose(page, changed)
    await page.getByText('The file has changed since it was begun. Send it as a new file?').waitFor()
    await assertAccessible(page)
    assert.deepEqual(chunksSince(from), [])
    await button(page, 'Send it as a new file').click()
    await done(page)
    assert.ok((await contentOf(owner, 'report.txt')).equals(changed.buffer))
  })

  it('goes on though the link takes nothing new by then', async (t) => {
    const film = someFile('late.mp4', 3 * MIB)
    const { page } = await begun(t, film)
    const gone = { status: 404, code: 'error.drop.link_not_found', title: '' }
    proxy.tamper({
      matches: isRequest('GET', /^\/d\/[0-9a-f]{32}$/),
      answer: () => ({
        status: 404,
        headers: { 'content-type': 'application/problem+json' },
        body: Buffer.from(JSON.stringify(gone)),
      }),
    })
    await reload(page)
    await page.getByRole('heading', { name: 'This link takes no files' }).waitFor()
    await page.getByText('The link takes no new files, but these may still go on.').waitFor()
    await assertAccessible(page)
    await choose(page, film)
    await done(page)
    assert.ok((await contentOf(owner, 'late.mp4')).equals(film.buffer))
  })
})

describe('two tabs', () => {
  it('do not work at one upload: the second says who does, and goes on once the first is gone', async (t) => {
    const film = someFile('tabs.mp4', 3 * MIB)
    const { page, context, url } = await begun(t, film)
    const other = await context.newPage()
    await other.goto(url)
    await other.getByText('Under way in another tab of this browser').waitFor()
    await choose(other, film)
    await rowOf(other, 'tabs.mp4').getByText('It goes on here when that one is closed.').waitFor()
    await assertAccessible(other)
    proxy.tamper()
    await page.close()
    await done(other)
    assert.ok((await contentOf(owner, 'tabs.mp4')).equals(film.buffer))
  })
})

describe('somebody who changes their mind', () => {
  it('pauses, goes on, cancels after being asked, and the place in the link is free again', async (t) => {
    const film = someFile('mind.mp4', 3 * MIB)
    const { page, opaqueId } = await begun(t, film)
    await button(page, 'Pause').click()
    await page.getByText('Paused. What has arrived stays on the server for a day.', { exact: true }).waitFor()
    await assertAccessible(page)
    await button(page, 'Go on').click()
    await button(page, 'Cancel mind.mp4').click()
    const asked = page.getByRole('dialog', { name: 'Cancel this file?' })
    await asked.getByText(/% of mind\.mp4 has arrived/).waitFor()
    await assertAccessible(page)
    await button(page, 'Keep going').click()
    await asked.waitFor({ state: 'detached' })
    await button(page, 'Cancel mind.mp4').click()
    await button(page, 'Cancel the file').click()
    await page.getByText('Cancelled. The server throws away what it has of it.').waitFor()
    const link = (await owner.listLinks()).find((one) => one.opaqueId === opaqueId)
    assert.equal(link?.openSessions, 0)
    await button(page, 'Take mind.mp4 out').click()
    await rowOf(page, 'mind.mp4').waitFor({ state: 'detached' })
  })
})
