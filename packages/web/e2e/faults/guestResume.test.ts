/** Stories of guests who reload, use two tabs, pause or cancel before their files have arrived. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Owner } from '@blindkeep/client/owner'
import type { BrowserContext, Page } from 'playwright-core'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import type { Exchanged, Tampering } from '../../../../testing/tamperingProxy.ts'
import { assertAccessible } from '../axe.ts'
import { useBrowser } from '../browser.ts'
import type { SomeFile } from '../giveFiles.ts'
import { allArrived, button, choose, contentOf, hasRemembered, MIB, rowOf, sendChosen, someFile } from '../guestPage.ts'
import { useWorldBehindProxy } from '../world.ts'

const DROPS = /^\/d\//
const browser = useBrowser()
let owner: Owner
const { world, proxy } = useWorldBehindProxy(async (started) => {
  owner = await started.owner()
})

const offsetOf = ({ headers }: Exchanged) => Number(headers['x-service-offset'])
const chunksSince = (from: number) => proxy.seen.slice(from).filter(isRequest('PATCH', DROPS))

interface Interrupted {
  readonly url: string
  readonly opaqueId: string
  readonly page: Page
  readonly context: BrowserContext
  /** The number of requests before the upload began. */
  readonly from: number
}

const laterChunksLost: Tampering = {
  matches: (exchange) => isRequest('PATCH', DROPS)(exchange) && offsetOf(exchange) > 0,
  lose: 'request',
}

/** An upload whose first mebibyte is acknowledged: the proxy loses every later chunk. */
async function interruptedUpload(t: TestContext, file: SomeFile): Promise<Interrupted> {
  const { url, opaqueId } = await world.link({ owner })
  const from = proxy.seen.length
  const { page, context } = await browser.open(t, { url })
  await choose(page, file)
  await page.getByLabel('Message', { exact: true }).fill('With the first words')
  proxy.tamper(laterChunksLost)
  await sendChosen(page)
  await rowOf(page, file.name).getByText('No connection. Sending resumes by itself.').waitFor()
  return { url, opaqueId, page, context, from }
}

/** Confirms the browser's question whether to leave the page. */
async function reload(page: Page): Promise<void> {
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
}

describe('a reload during an upload', () => {
  it('needs a confirmation, and the same file then resumes without sending an acknowledged chunk again', async (t) => {
    const film = someFile('film.mp4', 5 * MIB)
    const { page, from } = await interruptedUpload(t, film)
    let isAsked = false
    page.once('dialog', (dialog) => {
      isAsked = true
      return dialog.accept()
    })
    await page.reload()
    assert.ok(isAsked)
    await page.getByRole('heading', { name: '1 file was not finished' }).waitFor()
    await page.getByText('19% is on the server').waitFor()
    // What is sealed with it cannot be corrected any more, so nothing looks as if it could.
    await page.getByRole('heading', { name: 'Encrypted with 1 file that was begun' }).waitFor()
    await page.getByText('With the first words').waitFor()
    const note = page.getByLabel('Message', { exact: true })
    assert.equal(await note.count(), 0)
    assert.equal(await page.locator('.button.primary').count(), 1)
    await assertAccessible(page)
    const acknowledged = chunksSince(from).filter((chunk) => offsetOf(chunk) === 0).length
    assert.equal(acknowledged, 1)
    proxy.tamper()
    await choose(page, someFile('poster.jpg', 10))
    assert.equal(await note.inputValue(), 'With the first words')
    assert.equal(await page.locator('.button.primary').count(), 1)
    await note.fill('From the lake')
    await page.reload()
    await choose(page, someFile('poster.jpg', 10))
    assert.equal(await note.inputValue(), 'From the lake')
    await sendChosen(page)
    await page.getByRole('heading', { name: '1 file arrived, 1 more is not sent yet' }).waitFor()
    assert.equal((await owner.inbox()).find(({ file }) => file?.name === 'poster.jpg')?.file?.note, 'From the lake')
    const resumed = proxy.seen.length
    await choose(page, film)
    await allArrived(page)
    const offsets = chunksSince(resumed).map(offsetOf)
    assert.ok(Math.min(...offsets) >= MIB, `it began at ${Math.min(...offsets)}`)
    assert.equal(new Set(offsets).size, offsets.length)
    assert.ok((await contentOf(owner, 'film.mp4')).equals(film.buffer))
    const filmDrop = (await owner.inbox()).find(({ file }) => file?.name === 'film.mp4')
    assert.equal(filmDrop?.file?.note, 'With the first words')
    await page.getByRole('heading', { name: 'With 1 file, encrypted' }).nth(1).waitFor()
    await page.reload()
    await rowOf(page, 'film.mp4')
      .getByText(/^Arrived on /)
      .waitFor()
    assert.equal(await page.getByText('not finished').count(), 0)
    await choose(page, someFile('credits.txt', 10))
    await sendChosen(page)
    await page.getByText('2 more arrived before this visit. The list and the receipts below are of all 3').waitFor()
    await button(page, 'Download 3 receipts').waitFor()
    await button(page, 'Forget on this device').click()
    const asked = page.getByRole('dialog', { name: 'Forget what you have sent?' })
    await asked.getByText('Nothing is deleted on the server.').waitFor()
    await assertAccessible(page)
    await button(page, 'Keep the list').click()
    await asked.waitFor({ state: 'detached' })
    await rowOf(page, 'film.mp4').waitFor()
    await button(page, 'Forget on this device').click()
    await button(page, 'Forget').click()
    await rowOf(page, 'film.mp4').waitFor({ state: 'detached' })
    await page.reload()
    await hasRemembered(page)
    assert.equal(await page.getByText('film.mp4').count(), 0)
  })

  it('does not resume with a changed file, which the guest can send as a new one', async (t) => {
    const report = someFile('report.txt', 2 * MIB)
    const { page } = await interruptedUpload(t, report)
    await reload(page)
    await page.getByText('1 file was not finished').waitFor()
    proxy.tamper()
    const from = proxy.seen.length
    const changed = { ...report, buffer: Buffer.concat([report.buffer, Buffer.from('more')]) }
    await choose(page, changed)
    await page.getByText('The file has changed since sending began. Send it as a new file?').waitFor()
    await assertAccessible(page)
    assert.deepEqual(chunksSince(from), [])
    await button(page, 'Send as a new file').click()
    await allArrived(page)
    assert.ok((await contentOf(owner, 'report.txt')).equals(changed.buffer))
  })

  it('resumes although the link now accepts no new files', async (t) => {
    const film = someFile('late.mp4', 3 * MIB)
    const { page } = await interruptedUpload(t, film)
    const linkNotFound = { status: 404, code: 'error.drop.link_not_found', title: '' }
    const linkClosed: Tampering = {
      matches: isRequest('GET', /^\/d\/[0-9a-f]{32}$/),
      answer: () => ({
        status: 404,
        headers: { 'content-type': 'application/problem+json' },
        body: Buffer.from(JSON.stringify(linkNotFound)),
      }),
    }
    // Until the page is closed, it tries again by itself.
    proxy.tamper(linkClosed, laterChunksLost)
    await reload(page)
    await page.getByRole('heading', { name: 'This link accepts no more files' }).waitFor()
    proxy.tamper(linkClosed)
    await page.getByText('The link accepts no new files, but you may still be able to finish these.').waitFor()
    await assertAccessible(page)
    await choose(page, film)
    await allArrived(page)
    assert.ok((await contentOf(owner, 'late.mp4')).equals(film.buffer))
  })
})

describe('two tabs', () => {
  it('never send the same upload: the second says so, and resumes when the first is closed', async (t) => {
    const film = someFile('tabs.mp4', 3 * MIB)
    const { page, context, url } = await interruptedUpload(t, film)
    const other = await context.newPage()
    await other.goto(url)
    await other.getByText('Another tab of this browser is sending it').waitFor()
    await choose(other, film)
    await rowOf(other, 'tabs.mp4').getByText('When that tab is closed, sending resumes here.').waitFor()
    await other.getByRole('status').filter({ hasText: 'Another tab of this browser is sending this file.' }).waitFor()
    assert.equal(await other.getByText('was not sent').count(), 0)
    await assertAccessible(other)
    proxy.tamper()
    await page.close()
    await allArrived(other)
    assert.ok((await contentOf(owner, 'tabs.mp4')).equals(film.buffer))
  })
})

describe('a guest who changes their mind', () => {
  it('pauses, resumes and cancels after a question, and the link has room for another file', async (t) => {
    const film = someFile('mind.mp4', 3 * MIB)
    const { page, opaqueId } = await interruptedUpload(t, film)
    await button(page, 'Pause').click()
    await page.getByText('Paused. The server keeps what has arrived for a day.', { exact: true }).waitFor()
    await assertAccessible(page)
    await button(page, 'Resume').click()
    await button(page, 'Cancel mind.mp4').click()
    const asked = page.getByRole('dialog', { name: 'Cancel this file?' })
    await asked.getByText(/% of mind\.mp4 is sent/).waitFor()
    await assertAccessible(page)
    await button(page, 'Keep sending').click()
    await asked.waitFor({ state: 'detached' })
    await button(page, 'Cancel mind.mp4').click()
    await button(page, 'Cancel the file').click()
    await page.getByText('Cancelled. The server deletes what it has received.').waitFor()
    const link = (await owner.listLinks()).find((one) => one.opaqueId === opaqueId)
    assert.equal(link?.openSessions, 0)
    await button(page, 'Remove mind.mp4').click()
    await rowOf(page, 'mind.mp4').waitFor({ state: 'detached' })
  })
})
