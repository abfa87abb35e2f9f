/** The owner’s shares in a real browser: made, named, shown and ended. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { endingSoon } from '../../../testing/endingSoon.ts'
import type { Keeper } from '../../../testing/people.ts'
import { until } from '../../../testing/until.ts'
import { albums as albumTexts } from '../src/text/en/albums.ts'
import { owner as ownerTexts } from '../src/text/en/owner.ts'
import { share as receiverTexts } from '../src/text/en/share.ts'
import { shares as sharesTexts } from '../src/text/en/shares.ts'
import { button, text, tile, upload } from './albumPage.ts'
import { assertAccessible } from './axe.ts'
import { clipboardOf, useBrowser } from './browser.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

const albumUrl = ({ album }: Keeper) => `${world.url}/#/albums/${album}`

describe('a share', () => {
  it('opens the selected files for a person with the link, until the owner stops sharing', async (t) => {
    const keeper = await world.keeper()
    const content = new Uint8Array(randomBytes(1_200_000))
    await upload(keeper, 'report.bin', content)
    const visit = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner, passwordsInNode: true })
    const { page } = visit
    await page.getByLabel('Select report.bin').check()
    await button(page, 'Share').click()
    await page.getByLabel('Your name for it').fill('For the notary')
    await page.getByLabel('1 day').check()
    await button(page, 'Suggest one').click()
    const passphrase = await page.getByLabel('Passphrase (optional)').inputValue()
    await assertAccessible(page)
    await button(page, 'Create share link').click()
    const address = page.getByLabel('Share link', { exact: true })
    await address.waitFor()
    await assertAccessible(page)
    await button(page, 'Copy share link').click()
    const url = await clipboardOf(visit)
    assert.equal(url, await address.inputValue())
    await page.getByText(passphrase, { exact: true }).waitFor()
    await button(page, 'Done').click()

    const receiver = await browser.open(t, { url, device: 'phone', passwordsInNode: true })
    await receiver.page.getByLabel('Passphrase', { exact: true }).fill(passphrase.toUpperCase())
    await button(receiver.page, 'Open the files').click()
    const saved = await savedBy(receiver.page, () => button(receiver.page, 'Download report.bin').click())
    assert.deepEqual(saved, { name: 'report.bin', bytes: content })
    assert.ok(!(await receiver.page.content()).includes('notary'), 'the name is the owner’s')

    await page.goto(`${world.url}/#/shares`)
    await page.getByRole('heading', { name: 'For the notary' }).waitFor()
    await page.getByText('1 file, 1.2 MB · report.bin').waitFor()
    await page.getByText('With a passphrase').waitFor()
    assert.ok(!(await page.content()).includes(passphrase), 'it is stored nowhere')
    assert.ok(!(await page.content()).includes(url.split('#')[1] ?? '#'), 'the key is shown only when it is asked for')
    await assertAccessible(page)
    await button(page, 'Show the link of For the notary').click()
    assert.equal(await address.inputValue(), url)
    await assertAccessible(page)
    await button(page, 'Done').click()
    await button(page, 'Rename For the notary').click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('For the lawyer')
    await assertAccessible(page)
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'For the lawyer' }).waitFor()
    await button(page, 'Stop sharing: For the lawyer').click()
    await page.locator(':focus').and(button(page, 'Cancel')).waitFor()
    await button(page, 'Stop sharing').click()
    await page.getByText('No shares yet').waitFor()
    await page.locator('h1:focus').waitFor()
    await receiver.page.reload()
    await receiver.page.getByRole('heading', { name: 'Nothing is shared here any more' }).waitFor()
  })

  it('is named with its file and album, and before the file is deleted', async (t) => {
    const keeper = await world.keeper()
    const { owner } = keeper
    const assetId = await upload(keeper, 'shown.txt', text)
    await upload(keeper, 'hidden.txt', text)
    await owner.createShare([assetId], { name: 'For Grandma' })
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: owner, device: 'phone' })
    await page.getByText(sharesTexts.showing.album(1)).click()
    await page.getByText(`1 file · ${sharesTexts.live}`).waitFor()
    await assertAccessible(page)
    await tile(page, 'hidden.txt').getByRole('link').click()
    await page.getByText(sharesTexts.showing.none, { exact: true }).waitFor()
    await page.getByRole('link', { name: albumTexts.asset.back }).click()
    await tile(page, 'shown.txt').getByRole('link').click()
    const link = page.getByRole('link', { name: 'For Grandma' })
    await link.waitFor()
    await assertAccessible(page)
    await button(page, ownerTexts.more.of('shown.txt')).click()
    await button(page, albumTexts.asset.remove).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(sharesTexts.showing.losing(1, 1)).waitFor()
    await dialog.getByText('For Grandma').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await link.click()
    await page.locator(':focus', { hasText: 'For Grandma' }).waitFor()
  })

  it('of an album shows what is in it, also later, at a reload', async (t) => {
    const keeper = await world.keeper()
    const { owner } = keeper
    const first = await upload(keeper, 'first.txt', text)
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: owner, device: 'phone' })
    await button(page, ownerTexts.more.of('Album')).click()
    await button(page, albumTexts.album.share).click()
    await page.getByLabel(sharesTexts.following.choice).check()
    await page.getByText(sharesTexts.following.meaning).waitFor()
    await assertAccessible(page)
    await button(page, 'Create share link').click()
    const url = await page.getByLabel('Share link', { exact: true }).inputValue()
    await button(page, 'Done').click()
    const receiver = await browser.open(t, { url })
    await receiver.page.getByText('first.txt', { exact: true }).waitFor()
    const shows = (count: number) => until(async () => (await owner.listShares())[0]?.contents?.files === count)
    await page
      .locator('.add-files')
      .setInputFiles([{ name: 'second.txt', mimeType: 'text/plain', buffer: Buffer.from(text) }])
    await shows(2)
    await receiver.page.reload()
    await receiver.page.getByText('second.txt', { exact: true }).waitFor()
    await page.goto(`${world.url}/#/shares`)
    await page.getByText(sharesTexts.following.badge).waitFor()
    await assertAccessible(page)
    // Elsewhere, by a client that does not know such shares: this page follows for it.
    const [second] = (await owner.sharedFiles(url)).filter(({ name }) => name === 'second.txt')
    for await (const { changes } of owner.changes())
      for (const { assetId, asset } of changes)
        if (assetId === first || asset?.blobs.some(({ hash }) => hash === second?.hash))
          await owner.deleteAsset(assetId)
    await shows(0)
    await receiver.page.reload()
    await receiver.page.getByText(receiverTexts.empty).waitFor()
    await assertAccessible(receiver.page)
  })

  it('says in the list which of its files were deleted, and is removed from it once it has ended', async (t) => {
    const keeper = await world.keeper()
    const { owner } = keeper
    const assets = [await upload(keeper, 'stays.txt', text), await upload(keeper, 'leaves.txt', text)]
    await owner.createShare(assets, { name: 'Both' })
    const expiresAt = await endingSoon(async (at) => {
      await owner.createShare(assets.slice(0, 1), { name: 'Old', expiresAt: at })
      return at
    })
    // The time that a page takes from the server has whole seconds.
    await until(() => Date.now() > Date.parse(expiresAt) + 1000, 'the share ends')
    const { page } = await browser.open(t, { url: `${world.url}/#/shares`, signedInAs: owner })
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await row('Both').getByText('2 files').waitFor()
    await owner.deleteAsset(assets[1] ?? '')
    const gone = row('Both').getByText('1 file no longer available')
    await gone.waitFor()
    assert.match(await gone.innerText(), /leaves\.txt$/)
    await row('Old').getByText('Ended', { exact: true }).waitFor()
    assert.equal(
      await row('Old')
        .getByRole('button', { name: /Stop sharing/ })
        .count(),
      0,
    )
    await assertAccessible(page)
    await button(page, /^Remove from this list: /).click()
    await button(page, 'Remove from the list').click()
    await row('Old').waitFor({ state: 'detached' })
  })
})
