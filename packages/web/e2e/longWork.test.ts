/** Work on many files in a real browser: begun by keys, taken over by another tab, forgotten with the sign-out. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Owner } from '@blindkeep/client/owner'
import type { Page, Route } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { inbox as inboxText } from '../src/text/en/inbox.ts'
import { owner as ownerText } from '../src/text/en/owner.ts'
import { work as text } from '../src/text/en/work.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function arrived(owner: Owner, count: number): Promise<void> {
  const { url } = await owner.createLink()
  for (let index = 0; index < count; index++)
    await sendFile(url, Uint8Array.from(randomBytes(9)), { name: `file-${index}.bin` })
}

/** Holds these requests until `letGo`, which ends each by `then`. */
async function hold(page: Page, address: string, then: (route: Route) => Promise<void>) {
  const held: Route[] = []
  await page.route(address, (route) => void held.push(route))
  return {
    async letGo(): Promise<void> {
      await page.unroute(address)
      for (const route of held) await then(route)
    },
  }
}

const rowsStored = (page: Page): Promise<readonly unknown[]> =>
  page.evaluate(
    () =>
      new Promise<readonly unknown[]>((resolve, reject) => {
        const opened = indexedDB.open('blindkeep.work')
        opened.onerror = () => reject(opened.error)
        opened.onsuccess = () => {
          const all = opened.result.transaction('items').objectStore('items').getAll()
          all.onsuccess = () => {
            opened.result.close()
            resolve(all.result.map((row) => JSON.stringify({ ...row, sealed: new TextDecoder().decode(row.sealed) })))
          }
        }
      }),
  )

describe('work on many files', () => {
  it('begins with keys, goes on in the next tab, and counts what another device has done before', async (t) => {
    const { owner } = await world.keeper()
    await arrived(owner, 9)
    const { page, context } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner })
    await page.getByText('file-0.bin').waitFor()
    await page.keyboard.press('j')
    await page.locator(':focus').and(page.locator('.drop').nth(0).locator('.open')).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    await page.getByText(/^1 file selected/).waitFor()
    assert.ok(await page.getByLabel(inboxText.choose('file-7.bin')).isChecked())
    // Three tab stops: checkbox, name, and the toolbar, whose buttons the arrow keys reach.
    const stops: (string | null)[] = []
    for (const key of ['Tab', 'ArrowRight', 'Tab', 'Tab', 'Tab']) {
      await page.keyboard.press(key)
      stops.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null))
    }
    const [first, second] = ['file-7.bin', 'file-6.bin']
    assert.deepEqual(stops, [
      ...[inboxText.keepOf(first), inboxText.downloadOf(first)],
      ...[inboxText.choose(second), null, inboxText.keepOf(second)],
    ])
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: text.keys.title })
    await assertAccessible(page)
    await help.getByLabel(text.keys.on).uncheck()
    await button(page, text.keys.close).last().click()
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('a')
    await page.getByText(/^1 file selected/).waitFor()
    await button(page, text.keys.title).click()
    await help.getByLabel(text.keys.on).check()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('a')
    await page.getByText(/^9 files selected/).waitFor()
    await page.keyboard.press('e')

    // Three leave the inbox, and what the device signs is on its way.
    const held = await hold(page, '**/v1/upload', (route) => route.abort().catch(() => undefined))
    const uploads = page.waitForRequest('**/v1/upload')
    await button(page, inboxText.keeping.submit(9)).click()
    await uploads
    const bar = page.getByRole('region', { name: text.region })
    await bar.getByText(text.running.keep(0, 9)).waitFor()
    await assertAccessible(page)
    const [oldest] = await owner.inbox()
    assert.ok(oldest?.file?.name === 'file-0.bin')
    await owner.discardDrop(oldest.dropId)
    assert.equal((await rowsStored(page)).length, 9)
    assert.doesNotMatch((await rowsStored(page)).join(), /file-\d/)

    const next = await context.newPage()
    await next.goto(`${world.url}/#/links`)
    await button(next, ownerText.elsewhere.use).click()
    await page.getByRole('heading', { name: ownerText.elsewhere.movedTitle }).waitFor()
    await held.letGo()
    await next.getByText(inboxText.keeping.done(8, 'Album')).waitFor()
    await next.getByText(text.already(1)).waitFor()
    assert.deepEqual(await rowsStored(next), [])
    assert.deepEqual(await owner.inbox(), [])
    const kept = []
    for await (const { changes } of owner.changes()) kept.push(...changes)
    assert.equal(new Set(kept.map(({ assetId }) => assetId)).size, 8)
    for (const { assetId } of kept) assert.ok((await owner.asset(assetId)).complete)
  })

  it('is listed on every page, stops, and is asked about and forgotten with a sign-out', async (t) => {
    const { owner } = await world.keeper()
    await arrived(owner, 8)
    const options = { url: `${world.url}/#/inbox`, signedInAs: owner, device: 'phone', colorScheme: 'dark' } as const
    const { page } = await browser.open(t, options)
    await page.getByText('file-7.bin').waitFor()
    const discardAll = async (count: number) => {
      await page.getByLabel(inboxText.chooseAll).check()
      await button(page, inboxText.discard).click()
      await button(page, inboxText.discarding.submit(count)).click()
    }
    let restore = world.line.down()
    await discardAll(8)
    await page.getByText(text.waiting).waitFor()
    await page.getByRole('link', { name: ownerText.pages.account }).click()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.getByText(text.running.discard(0, 8)).first().waitFor()
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    await button(page, text.stop).click()
    await page.getByText(text.stopped(8)).waitFor()
    assert.deepEqual(await rowsStored(page), [])

    restore()
    await page.reload()
    await page.getByRole('link', { name: ownerText.pages.inbox }).click()
    await page.getByText('file-7.bin').waitFor()
    restore = world.line.down()
    await discardAll(8)
    await page.getByText(text.waiting).waitFor()
    await button(page, ownerText.signOut).click()
    await page.getByText(ownerText.busy.work).waitFor()
    await button(page, ownerText.busy.leave).click()
    await page.getByLabel('Password', { exact: true }).waitFor()
    assert.deepEqual(await rowsStored(page), [])
    restore()
    assert.equal((await owner.inbox()).length, 8)
  })
})
