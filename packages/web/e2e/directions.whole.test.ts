/** Names that turn the direction of text or paint over other lines, on every page that shows names of others. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { storage } from '../src/text/en/storage.ts'
import { useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066\u2067]/u
const HOSTILE = 'invoice\u202Efdp.exe'
const PLAIN = 'invoicefdp.exe'

/** All that a person sees or hears of the page. */
async function assertTurnsNothing(page: Page, where: string): Promise<void> {
  await page.getByText(PLAIN).first().waitFor({ state: 'attached' })
  const drawn = `${await page.title()} ${await page.content()}`
  assert.ok(!TURNING.test(drawn), `${where}: ${TURNING.exec(drawn)?.index}`)
}

/** Marks stand above each other without end, out of the line. */
const STACKED = `invo\u0301${'\u0301'.repeat(80)}ice.pdf`

/** Each text with such marks is in a block that cuts what leaves it. */
async function assertPaintsNothingOver(page: Page, where: string): Promise<void> {
  await page.getByText(STACKED).first().waitFor({ state: 'attached' })
  const free = await page.evaluate((stacked) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    while (texts.nextNode()) {
      if (!texts.currentNode.textContent?.includes(stacked)) continue
      let block = texts.currentNode.parentElement
      // What a closed list offers is not painted.
      if (block?.localName === 'option') continue
      while (block !== null && getComputedStyle(block).display === 'inline') block = block.parentElement
      if (block !== null && getComputedStyle(block).overflowY === 'visible') found.push(block.outerHTML.slice(0, 80))
    }
    return found
  }, '\u0301'.repeat(60))
  assert.deepEqual(free, [], where)
}

type Check = (page: Page, where: string) => Promise<void>

async function ownersPages(t: TestContext, name: string, check: Check): Promise<void> {
  const { owner, device } = await world.keeper()
  const { albumId: album } = await owner.createAlbum({ name })
  const { url } = await owner.createLink({ label: name, title: name, from: name })
  const fields = [[name, name]] as const
  const facts = { name, type: name, sender: name, note: name, fields }
  const { assetId } = await owner.upload({ source: sourceOfBytes(Buffer.from('a')), album, device, ...facts })
  await owner.createShare([assetId], { name })
  await sendFile(url, Buffer.from('b'), facts)
  const { page } = await browser.open(t, { url: `${world.url}/#/albums`, signedInAs: owner })
  for (const place of ['albums', `albums/${album}`, `albums/${album}/${assetId}`, 'shares', 'links', 'inbox']) {
    await page.goto(`${world.url}/#/${place}`)
    await check(page, place)
  }
  await page.locator('.drop .open').click()
  await page.getByRole('dialog').waitFor()
  await check(page, 'dialog')
  await page.goto(`${world.url}/#/storage`)
  await page.getByRole('button', { name: storage.check.start, exact: true }).click()
  await check(page, 'storage')
  await owner.deleteAsset(assetId)
  await page.goto(`${world.url}/#/bin`)
  await check(page, 'bin')
}

async function othersPages(t: TestContext, name: string, check: Check): Promise<void> {
  const { owner, album, device } = await world.keeper()
  const source = sourceOfBytes(Buffer.from('a'))
  const { assetId } = await owner.upload({ source, album, device, name, type: name })
  const share = await owner.createShare([assetId])
  const { page } = await browser.open(t, { url: share.url })
  await check(page, 'share')

  const link = await owner.createLink({ title: name, message: name, from: name })
  const { page: guest } = await browser.open(t, { url: link.url })
  await guest
    .locator('input[type=file]')
    .first()
    .setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from('a') }])
  await check(guest, 'guest')
}

describe('a name that turns the direction of text', () => {
  it('does so on no page of the owner', (t) => ownersPages(t, HOSTILE, assertTurnsNothing))

  it('does so neither on the page of a share nor in a guest’s own list', (t) =>
    othersPages(t, HOSTILE, assertTurnsNothing))
})

describe('a name whose letters have many marks', () => {
  it('paints over no other line on the pages of the owner', (t) => ownersPages(t, STACKED, assertPaintsNothingOver))

  it('does so neither on the page of a share nor in a guest’s own list', (t) =>
    othersPages(t, STACKED, assertPaintsNothingOver))
})
