/** Finding one file of many: what is found, what it costs the server, and what stays on the device. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openNames } from '@blindkeep/client/findIndex'
import type { Owner } from '@blindkeep/client/owner'
import { sourceOfBytes } from '@blindkeep/client/source'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { until } from '../../../testing/until.ts'
import { albums as albumsText } from '../src/text/en/albums.ts'
import { find as text } from '../src/text/en/find.ts'
import { inbox as inboxText } from '../src/text/en/inbox.ts'
import { owner as ownerText } from '../src/text/en/owner.ts'
import { assertAccessible } from './axe.ts'
import { BARE } from './bare.ts'
import { useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

/** More than the client asks for first, and than three steps of the list. */
const FILES = 210
const row = (page: Page, name: string) => page.locator('.drop').filter({ hasText: name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const search = (page: Page) => page.getByRole('searchbox')

async function beginWithMany() {
  const keeper = await world.keeper()
  const { owner } = keeper
  const { url } = await owner.createLink({ label: 'Scans' })
  const send = (name: string, sender = 'Ada') => sendFile(url, new Uint8Array(10), { name, sender })
  const numbers = Array.from({ length: FILES - 1 }, (_, index) => String(index + 1).padStart(4, '0'))
  await mapConcurrently(numbers, 8, (number) => send(`Scan ${number}.pdf`))
  await send('Grüße aus Köln.jpg', 'Bob')
  return owner
}

/** The headers that the page has read since the last call. */
function countNames(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/content')) count += 1
  })
  return () => {
    const counted = count
    count = 0
    return counted
  }
}

/** The sealed parts of the index in this browser. `isDamaging` changes one byte of each. */
const storedParts = (page: Page, isDamaging = false): Promise<readonly (readonly number[])[]> =>
  page.evaluate(
    (isDamaging) =>
      new Promise<number[][]>((resolve, reject) => {
        const opened = indexedDB.open('blindkeep-names')
        opened.onerror = () => reject(opened.error)
        opened.onsuccess = () => {
          const changing = opened.result.transaction('parts', 'readwrite')
          const all = changing.objectStore('parts').getAll()
          const keys = changing.objectStore('parts').getAllKeys()
          keys.onsuccess = () => {
            if (isDamaging)
              for (const [index, key] of keys.result.entries()) {
                const { place, sealed } = all.result[index]
                sealed[sealed.length - 1] ^= 1
                changing.objectStore('parts').put({ place, sealed }, key)
              }
          }
          changing.oncomplete = () => {
            opened.result.close()
            resolve(all.result.map(({ sealed }) => [...sealed]))
          }
        }
      }),
    isDamaging,
  )

async function untilStored(page: Page, { accountKey, accountId }: Owner): Promise<void> {
  const seal = { accountKey, accountId, baseUrl: world.url }
  await until(async () => {
    const opened = (await storedParts(page)).map((sealed) => openNames(Uint8Array.from(sealed), seal))
    return new Set((await Promise.all(opened)).flatMap((names = []) => names.map(([key]) => key))).size === FILES
  })
}

describe('one file of many', () => {
  it('is found by a part of its name, on a phone and a desktop, and its device remembers the names', async (t) => {
    const owner = await beginWithMany()
    const phone = (await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner, device: 'phone' })).page
    await phone
      .getByRole('status')
      .filter({ hasText: inboxText.waiting(FILES) })
      .waitFor()
    await search(phone).fill('0100')
    await row(phone, 'Scan 0100.pdf').waitFor()
    await phone
      .getByRole('status')
      .filter({ hasText: text.found(1, FILES) })
      .waitFor()
    await assertAccessible(phone)

    const { page } = await browser.open(t, { url: `${world.url}${BARE}`, signedInAs: owner })
    const names = countNames(page)
    await page.goto(`${world.url}/#/inbox`)
    await page
      .getByRole('status')
      .filter({ hasText: inboxText.waiting(FILES) })
      .waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('köln GRUSSE')
    await row(page, 'Grüße aus Köln.jpg').waitFor()
    await search(page).fill('0100')
    await row(page, 'Scan 0100.pdf').waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: text.found(1, FILES) })
      .waitFor()
    await untilStored(page, owner)
    assert.ok(names() >= FILES - 60, 'each name is read once')

    await page.reload()
    await row(page, 'Scan 0100.pdf').waitFor()
    assert.equal(await search(page).inputValue(), '0100')
    await button(page, text.filters(0)).click()
    await page.getByLabel(text.kind).selectOption('image')
    await page.getByText(text.none).waitFor()
    await search(page).fill('')
    await row(page, 'Grüße aus Köln.jpg').waitFor()
    await page.getByLabel(text.sender, { exact: true }).fill('ada')
    await page.getByText(text.none).waitFor()
    await assertAccessible(page)
    assert.ok(names() < 80, 'the index answers')
    await page.goBack()
    await page.goForward()
    await page.getByText(text.none).waitFor()
    await button(page, text.clear).click()
    await row(page, 'Grüße aus Köln.jpg').waitFor()

    // What is damaged is made again.
    await storedParts(page, true)
    await page.goto(`${world.url}/#/inbox?q=0123`)
    await page.reload()
    await row(page, 'Scan 0123.pdf').waitFor()
    await untilStored(page, owner)

    await page.getByRole('link', { name: ownerText.pages.account, exact: true }).click()
    await button(page, text.index.turnOff).click()
    await page.getByText(text.index.isOff).waitFor()
    assert.deepEqual(await storedParts(page), [])
    await page.getByText(text.index.offExplain).waitFor()

    // The visit is over: only what lands now is new.
    await sendFile((await owner.createLink()).url, new Uint8Array(10), { name: 'Late.pdf' })
    const badge = page.getByRole('link', { name: /^Inbox/ })
    await badge.getByText(ownerText.inboxWaiting(1)).waitFor()
    await badge.click()
    await row(page, 'Late.pdf').getByText(text.new, { exact: true }).waitFor()
    await page.reload()
    await row(page, 'Late.pdf').getByText(text.new, { exact: true }).waitFor()
    await row(page, 'Late.pdf').getByRole('button', { name: 'Late.pdf', exact: true }).click()
    await button(page, inboxText.close).first().click()
    await row(page, 'Late.pdf').getByText(text.new, { exact: true }).waitFor({ state: 'detached' })
    await badge.getByText(ownerText.inboxWaiting(1)).waitFor({ state: 'detached' })
    assert.deepEqual(await storedParts(page), [])
  })
})

describe('a kept file', () => {
  it('is found in its album and over all albums by the name that a device has signed', async (t) => {
    const { owner, album, device } = await world.keeper()
    for (const name of ['Grüße.txt', 'two.jpg', 'three.jpg'])
      await owner.upload({ source: sourceOfBytes(new Uint8Array(10)), album, device, name })
    const { page } = await browser.open(t, { url: `${world.url}/#/albums?q=grusse`, signedInAs: owner })
    const tile = (name: string) => page.locator('.tile').filter({ hasText: name })
    await tile('Grüße').waitFor()
    await page.getByRole('heading', { name: text.albumFiles }).waitFor()
    assert.equal(await page.locator('.tile').count(), 1)
    await assertAccessible(page)

    // Files of two albums may move into either of them.
    const other = await owner.createAlbum({ name: 'Other' })
    await owner.upload({ source: sourceOfBytes(new Uint8Array(10)), album: other.albumId, device, name: 'Grüße 2.txt' })
    await tile('Grüße 2').waitFor()
    await button(page, albumsText.selection.all).click()
    await button(page, albumsText.move.short).click()
    await page.getByRole('dialog').getByRole('radio').nth(2).waitFor()
    await page.keyboard.press('Escape')

    await page.goto(`${world.url}/#/albums/${album}?kind=image&sort=name`)
    await tile('two').waitFor()
    await page
      .getByRole('status')
      .filter({ hasText: text.found(2, 3) })
      .waitFor()
    assert.match(await page.locator('.tile').first().innerText(), /three/)
    await page.getByLabel(albumsText.album.select('three.jpg')).check()
    await search(page).fill('two')
    await tile('three').waitFor({ state: 'detached' })
    // What is hidden is not chosen.
    assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
  })
})
