/** What was discarded or deleted, in a real browser: undone in the message, and from the bin. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { openedDrops, sendFile } from '../../../testing/people.ts'
import { isolated } from '../src/common/names/isolated.ts'
import { albums as albumsText } from '../src/text/en/albums.ts'
import { bin as text } from '../src/text/en/bin.ts'
import { find as findText } from '../src/text/en/find.ts'
import { inbox as inboxText } from '../src/text/en/inbox.ts'
import { storage as storageText } from '../src/text/en/storage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

describe('the bin', () => {
  it('brings back what was discarded or deleted, by the message or its page, and is emptied after a question', async (t) => {
    const { owner, album, device } = await world.keeper()
    const { url } = await owner.createLink()
    for (const name of ['letter.txt', 'kept.txt']) await sendFile(url, randomBytes(1000), { name })
    const kept = (await openedDrops(owner)).find(({ file }) => file.name === 'kept.txt')
    assert.ok(kept)
    const { assetId } = await owner.adoptDrop(kept, { album, device })
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner })
    const discard = async () => {
      await button(page, inboxText.discardOf('letter.txt')).click()
      await button(page, inboxText.discarding.submit(1)).click()
    }
    await discard()
    await button(page, text.undo).click()
    await page.getByText(text.restored(1)).waitFor()
    await button(page, inboxText.discardOf('letter.txt')).waitFor()
    await discard()
    await page.getByText(inboxText.discarding.doneOne(isolated('letter.txt'))).waitFor()

    await page.goto(`${world.url}/#/albums/${album}/${assetId}`)
    await button(page, albumsText.asset.remove).click()
    await button(page, albumsText.remove.confirm(1)).click()
    await page.getByText(albumsText.remove.done(1)).waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${world.url}/#/storage`)
    await page.getByRole('link', { name: storageText.quota.toBin }).click()
    const rows = page.getByRole('list', { name: text.list }).locator('.drop')
    await rows.nth(0).getByRole('heading', { name: 'kept.txt' }).waitFor()
    await rows.nth(1).getByRole('heading', { name: 'letter.txt' }).waitFor()
    await assertAccessible(page)
    await button(page, text.restore.of('kept.txt')).click()
    await rows.nth(1).waitFor({ state: 'detached' })
    assert.equal((await owner.describeAsset(await owner.asset(assetId))).name, 'kept.txt')

    await button(page, text.empty.button).click()
    await page.getByText(text.end.title).waitFor()
    await assertAccessible(page)
    await button(page, text.end.confirm).click()
    await page.getByRole('heading', { name: text.none.title }).waitFor()
    await assertAccessible(page)
    assert.equal((await owner.quota()).bin, 0)
  })

  it('names a file as the inbox does, and when it is emptied, what comes after the question stays', async (t) => {
    const owner = await world.owner()
    const { url } = await owner.createLink()
    for (const name of ['one.txt', 'two.txt', 'a\u202efdp.exe']) await sendFile(url, randomBytes(10), { name })
    const [one, two, third] = await owner.inbox()
    assert.ok(one && two && third)
    for (const { dropId } of [one, two]) await owner.discardDrop(dropId)
    const { page } = await browser.open(t, { url: `${world.url}/#/bin`, signedInAs: owner })
    const rows = page.getByRole('list', { name: text.list }).locator('.drop')
    await rows.nth(1).waitFor()
    await button(page, text.empty.button).click()
    await owner.discardDrop(third.dropId)
    await page.getByRole('heading', { name: 'fdp.exe', includeHidden: true }).waitFor()
    await button(page, text.empty.confirm(2)).click()
    await page.getByText(text.end.done(2)).waitFor()
    await rows.nth(1).waitFor({ state: 'detached' })
    assert.equal(await rows.getByRole('heading').textContent(), 'afdp.exe')
  })

  it('finds by name, and restores or ends what is selected, or restores all', async (t) => {
    const owner = await world.owner()
    const { url } = await owner.createLink()
    for (let index = 0; index < 9; index++) await sendFile(url, randomBytes(10), { name: `file-${index}.bin` })
    for (const { dropId } of await owner.inbox()) await owner.discardDrop(dropId)
    const options = { url: `${world.url}/#/bin`, signedInAs: owner, device: 'phone', colorScheme: 'dark' } as const
    const { page } = await browser.open(t, options)
    const rows = page.getByRole('list', { name: text.list }).locator('.drop')
    await rows.nth(8).waitFor()
    const search = page.getByLabel(findText.search.files)
    await search.fill('file-4')
    await rows.nth(1).waitFor({ state: 'detached' })
    await page.getByLabel(inboxText.chooseAll).check()
    await page.setViewportSize({ width: 320, height: 640 })
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    await button(page, text.restore.button).click()
    await page.getByText(text.restored(1)).waitFor()
    await button(page, findText.clear).click()
    await rows.nth(7).waitFor()
    for (const name of ['file-0.bin', 'file-1.bin']) await page.getByLabel(inboxText.choose(name)).check()
    await button(page, text.end.button).click()
    await button(page, text.empty.confirm(2)).click()
    await page.getByText(text.end.done(2)).waitFor()
    await rows.nth(6).waitFor({ state: 'detached' })
    await button(page, text.restore.all).click()
    await page.getByRole('heading', { name: text.none.title }).waitFor()
    const names = (await owner.inbox()).map(({ file }) => file?.name)
    assert.deepEqual(
      names.toSorted(),
      [2, 3, 4, 5, 6, 7, 8].map((index) => `file-${index}.bin`),
    )
  })
})
