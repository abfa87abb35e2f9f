/** The owner's albums in a real browser: upload, preview, download, move and delete. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { anotherClient, type Keeper } from '../../../testing/people.ts'
import { unzipped, whyNoUnzip } from '../../../testing/unzipped.ts'
import { keyName } from '../src/owner/ground/keyName.ts'
import { account } from '../src/text/en/account.ts'
import { albums as albumTexts } from '../src/text/en/albums.ts'
import { inbox as inboxTexts } from '../src/text/en/inbox.ts'
import { owner as ownerTexts } from '../src/text/en/owner.ts'
import { button, files, picture, text, tile, upload } from './albumPage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

const albumUrl = ({ album }: Keeper) => `${world.url}/#/albums/${album}`

/** Whether the end of the name is within its tile, which clips what is outside. */
function isEndInside(tile: Element): boolean {
  const end = tile.querySelector('.cut-name')?.lastElementChild?.getBoundingClientRect()
  return end !== undefined && end.width > 0 && end.right <= tile.getBoundingClientRect().right
}

/** Notes each warning that the page shows from now on, however short. */
function noteWarnings(): void {
  const warnings: string[] = []
  Reflect.set(window, 'warnings', warnings)
  new MutationObserver(() => {
    const [notice] = document.querySelectorAll('.notice.warn')
    if (notice !== undefined) warnings.push(notice.textContent)
  }).observe(document.body, { childList: true, subtree: true })
}

describe('an album', () => {
  it('is created, stores a picture and a long text, shows both and downloads them', async (t) => {
    const { owner } = await world.keeper()
    const { page } = await browser.open(t, { url: `${world.url}/#/albums`, signedInAs: owner })
    await button(page, 'New album').click()
    await page.getByLabel('Name').fill('Summer')
    await button(page, 'Create album').click()
    await page.getByRole('heading', { name: 'Summer', level: 1 }).waitFor()
    await button(page, 'Rename').focus()
    await page.keyboard.press('Enter')
    await page
      .locator(':focus')
      .and(page.getByLabel('Name', { exact: true }))
      .waitFor()
    await assertAccessible(page)
    await page.keyboard.type(' 2026')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Summer 2026', level: 1 }).waitFor()
    await page.locator(':focus').and(button(page, 'Rename')).waitFor()
    await assertAccessible(page)
    const failed: string[] = []
    page.on('response', (answer) => answer.status() >= 400 && failed.push(`${answer.status()} ${answer.url()}`))
    await page.evaluate(noteWarnings)
    await page.locator('.add-files').setInputFiles(files)
    await page.getByText('All 2 files are encrypted and uploaded.').waitFor()
    assert.deepEqual(failed, [])
    await tile(page, 'letters.txt').waitFor()
    assert.deepEqual(await page.evaluate(() => Reflect.get(window, 'warnings')), [])
    await tile(page, 'meadow.png').locator('img').waitFor()
    await assertAccessible(page)
    await button(page, 'Hide letters.txt here. It stays in the album.').click()
    await page.getByText('The file is encrypted and uploaded.').waitFor()

    await tile(page, 'letters.txt').getByRole('link').click()
    await page.getByRole('heading', { name: 'letters.txt', level: 1 }).waitFor()
    await button(page, 'Show preview').click()
    await page.frameLocator('iframe.preview').getByText('Sealed before it leaves.').first().waitFor()
    await page.getByText('3, and all are valid').waitFor()
    const signer = (await owner.devices()).find(({ name }) => name === 'Chrome on Linux')
    assert.ok(signer)
    await page.getByText(`Chrome on Linux, Key ${keyName(signer.deviceId)}, added on`).waitFor()
    await assertAccessible(page)
    const saved = await savedBy(page, () => button(page, 'Download').click())
    assert.equal(saved.name, 'letters.txt')
    assert.deepEqual(saved.bytes, new Uint8Array(text))

    await page.goto(`${world.url}/#/albums`)
    await page.locator('.album-card').filter({ hasText: 'Summer 2026' }).locator('img').waitFor()
    await assertAccessible(page)
  })

  it('shows what another client adds and deletes, creates a thumbnail at the first preview, and uploads a picture with one for other clients', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    await page.getByText('This album is empty').waitFor()
    const assetId = await upload(keeper, 'from-elsewhere.png', picture)
    await tile(page, 'from-elsewhere.png').waitFor()
    assert.equal(await tile(page, 'from-elsewhere.png').locator('img').count(), 0, 'nothing is decoded by itself')
    await tile(page, 'from-elsewhere.png').getByRole('link').click()
    await button(page, 'Show preview').click()
    await page.locator('iframe.preview').waitFor()
    await page.getByText('4, and all are valid').waitFor()
    await page.getByRole('link', { name: 'Back to the album' }).click()
    await tile(page, 'from-elsewhere.png').locator('img').waitFor()
    await keeper.owner.deleteAsset(assetId)
    await page.getByText('This album is empty').waitFor()

    await page.locator('.add-files').setInputFiles(files.slice(0, 1))
    await page.getByText('The file is encrypted and uploaded.').waitFor()
    const other = anotherClient(world.server.url, keeper.owner)
    const kept = []
    for await (const { changes } of other.changes()) kept.push(...changes)
    const [asset] = kept.flatMap((change) => change.asset ?? [])
    assert.ok(asset)
    const opened = await other.openAsset(asset.assetId)
    assert.deepEqual(new Uint8Array(await new Response(opened.content).arrayBuffer()), picture)
    assert.deepEqual([opened.name, opened.type], ['meadow.png', 'image/png'])
    const thumbnail = await other.readThumbnail(asset)
    assert.ok(thumbnail !== undefined && thumbnail.length < picture.length)
    assert.equal(Buffer.from(thumbnail.subarray(8, 12)).toString(), 'WEBP')
  })

  it('gives a file another name, is downloaded as one ZIP, and its files move to a new album', async (t) => {
    const keeper = await world.keeper()
    await upload(keeper, 'a.txt', text)
    await upload(keeper, 'other.txt', new Uint8Array([1]))
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner, device: 'phone' })
    await tile(page, 'a.txt').getByRole('link').click()
    await button(page, albumTexts.album.rename).click()
    await page.getByLabel('Name', { exact: true }).fill(' ')
    await page.keyboard.press('Enter')
    await page.getByText(albumTexts.asset.nameMissing).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Name', { exact: true }).fill('letters, 2026.txt')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'letters, 2026.txt', level: 1 }).waitFor()
    await page.locator(':focus').and(button(page, albumTexts.album.rename)).waitFor()
    await page.getByRole('link', { name: 'Back to the album' }).click()
    await tile(page, 'letters, 2026.txt').waitFor()
    await assertAccessible(page)
    assert.equal(await button(page, albumTexts.saving.album).count(), 0, 'a phone shows it on demand')
    await button(page, ownerTexts.more.of('Album')).click()
    await assertAccessible(page)
    const saved = await savedBy(page, () => button(page, albumTexts.saving.album).click())
    await page.getByText(albumTexts.saving.albumDone(2)).waitFor()
    assert.match(saved.name, /\.zip$/)
    // It says nothing where there is no Python.
    if ((await whyNoUnzip()) === undefined) {
      const found = await unzipped(saved.bytes)
      assert.deepEqual(found.map((file) => [file.name, file.size]).toSorted(), [
        ['letters, 2026.txt', text.length],
        ['other.txt', 1],
      ])
    }
    await page.getByLabel('Select letters, 2026.txt').check()
    await button(page, albumTexts.selection.all).click()
    await button(page, albumTexts.move.short).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(inboxTexts.keeping.newAlbumName).fill('Taxes')
    await assertAccessible(page)
    await dialog.getByRole('button', { name: albumTexts.move.confirm(2) }).click()
    await page.getByText(albumTexts.move.done(2, 'Taxes')).waitFor()
    await page.getByText(albumTexts.album.empty).waitFor()
    await page.getByRole('link', { name: albumTexts.move.toAlbum }).click()
    await tile(page, 'letters, 2026.txt').waitFor()
    await tile(page, 'other.txt').waitFor()
    assert.equal(await page.getByText(albumTexts.move.done(2, 'Taxes')).count(), 0, 'its link is followed')
  })

  it('stays shown when the question before a deletion is cancelled with a double click', async (t) => {
    const keeper = await world.keeper()
    for (let index = 0; index < 15; index++) await upload(keeper, `${index}.txt`, randomBytes(10))
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    await tile(page, '14.txt').waitFor()
    await page.getByLabel('Select 14.txt').check()
    await button(page, 'Delete').click()
    const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' })
    const place = await cancel.boundingBox()
    assert.ok(place)
    const point = { x: place.x + place.width / 2, y: place.y + place.height / 2 }
    await page.mouse.dblclick(point.x, point.y)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(page.url(), albumUrl(keeper))
    // What was behind it is a tile, which the next click opens.
    await page.mouse.click(point.x, point.y)
    await page.getByRole('link', { name: 'Back to the album' }).waitFor()
  })

  it('downloads the selected files as one ZIP, and deletes them after a question that says what this means', async (t) => {
    const keeper = await world.keeper()
    const content = randomBytes(10)
    const long = `trip/day 2/${'Minutes of a long meeting '.repeat(3)}17.docx`
    for (const name of ['one.txt', 'two.txt', long]) await upload(keeper, name, content)
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner, device: 'phone' })
    // A name that is cut keeps its ending, and its folder is in a line of its own.
    const shown = tile(page, 'meeting 17.docx')
    await shown.getByText('g 17.docx', { exact: true }).waitFor()
    await shown.getByText('trip/day 2/', { exact: true }).waitFor()
    assert.ok(await shown.evaluate(isEndInside))
    for (const name of ['one.txt', 'two.txt']) await page.getByLabel(`Select ${name}`).check()
    await page.getByText('2 files selected').waitFor()
    await assertAccessible(page)
    const zip = await savedBy(page, () => button(page, 'Download').click())
    assert.equal(zip.name, 'Album, 2 files.zip')
    const messages = page.getByRole('region', { name: 'Messages' })
    await messages.getByText('2 files were downloaded.').waitFor()
    await messages.getByRole('button').click()
    // It says nothing where there is no Python.
    if ((await whyNoUnzip()) === undefined) {
      const hash = createHash('sha256').update(content).digest('hex')
      const found = await unzipped(zip.bytes)
      assert.deepEqual(found.map((file) => [file.name, file.hash]).toSorted(), [
        ['one.txt', hash],
        ['two.txt', hash],
      ])
    }
    await retainAll(page)
    await button(page, 'Delete').click()
    const named = page.getByRole('dialog').getByRole('listitem')
    await named.getByText('one.txt').waitFor()
    assert.deepEqual((await named.allInnerTexts()).toSorted(), ['one.txt', 'two.txt'])
    await button(page, 'Delete 2 files').click()
    const work = page.getByRole('region', { name: 'Work in progress' })
    await work.getByText('2 files could not be deleted.').waitFor()
    await work.getByText(/^one\.txt: .*cannot be deleted yet/).waitFor()
    await assertAccessible(page)
    await page.unroute('**/v1/assets/*')
    await button(page, 'Try these again').click()
    await page.getByText('2 files were deleted.').waitFor()
    // A tile disappears when the server reports the change.
    for (const name of ['one.txt', 'two.txt']) await tile(page, name).waitFor({ state: 'detached' })
    assert.equal(await page.locator('.tile').count(), 1)
  })
})

/** No file may be deleted yet. */
async function retainAll(page: Page): Promise<void> {
  const code = 'error.asset.retained'
  const refusal = { status: 409, contentType: 'application/problem+json', json: { status: 409, code } }
  await page.route('**/v1/assets/*', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill(refusal) : route.continue(),
  )
}

describe('a file that is protected from deletion', () => {
  it('says what that means and until when, and is not offered for deletion or a move, alone and beside another', async (t) => {
    const keeper = await world.keeper()
    const assetId = await upload(keeper, 'deed.txt', randomBytes(100))
    await upload(keeper, 'draft.txt', randomBytes(100))
    const { page } = await browser.open(t, { url: `${albumUrl(keeper)}/${assetId}`, signedInAs: keeper.owner })
    await button(page, 'Protect').focus()
    await page.keyboard.press('Enter')
    await page.getByText('This file cannot be deleted before that day').waitFor()
    await assertAccessible(page)
    const day = page.getByLabel('Protected until')
    await day.fill('2999-01-01')
    await page.getByText('Choose a day from').waitFor()
    const chosen = new Date(Date.now() + 50 * 86_400_000).toISOString().slice(0, 10)
    await day.fill(chosen)
    await button(page, 'Protect the file').click()
    await page.getByText('The file cannot be deleted before').waitFor()
    await page.getByText('Cannot be deleted before', { exact: true }).waitFor()
    assert.ok(
      Math.abs(Date.parse((await keeper.owner.asset(assetId)).retainedUntil ?? '') - Date.parse(chosen)) < 86_400_000,
    )
    await assertAccessible(page)
    await button(page, 'Delete').click()
    await page.getByText('1 file is protected and stays').waitFor()
    assert.equal(await button(page, 'Delete file').count(), 0)
    await assertAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await button(page, albumTexts.move.short).click()
    await page.getByText('1 file is protected and stays').waitFor()
    assert.equal(await button(page, albumTexts.move.confirm(1)).count(), 0)
    await assertAccessible(page)
    await page.goto(albumUrl(keeper))
    await tile(page, 'deed.txt').waitFor()
    await button(page, 'Delete album').click()
    await page.getByText(/^1 file is protected and stays: .* The album stays\.$/).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Delete album and/ }).count(), 0)
    await page.keyboard.press('Escape')
    for (const name of ['deed.txt', 'draft.txt']) await page.getByLabel(`Select ${name}`).check()
    await button(page, albumTexts.move.short).click()
    await page.getByText('1 file is protected and stays').waitFor()
    await button(page, albumTexts.move.confirm(1)).waitFor()
    await page.keyboard.press('Escape')
    await button(page, 'Delete').click()
    await button(page, 'Delete file').click()
    await tile(page, 'draft.txt').waitFor({ state: 'detached' })
    await tile(page, 'deed.txt').waitFor()
    await page.goto(`${world.url}/#/account`)
    await button(page, account.leave.open).click()
    await page.getByText(/^1 file is protected from deletion until .*, and the account with it/).waitFor()
    await page.getByRole('dialog').getByText('Album', { exact: true }).waitFor()
    await assertAccessible(page)
  })
})

describe('deleting an album', () => {
  it('takes its files with it, after a question that says how many and how large; another page hears of it', async (t) => {
    const keeper = await world.keeper()
    for (const name of ['one.txt', 'two.txt']) await upload(keeper, name, randomBytes(1000))
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    await tile(page, 'one.txt').waitFor()
    await retainAll(page)
    await button(page, 'Delete album').click()
    await page.getByText('The album has 2 files (2 KB).').waitFor()
    await assertAccessible(page)
    await button(page, 'Delete album and 2 files').click()
    await page.getByText('2 files could not be deleted. The album stays.').waitFor()
    await page.getByRole('region', { name: 'Work in progress' }).getByText('one.txt').waitFor()
    await page.unroute('**/v1/assets/*')
    await button(page, 'Try these again').click()
    await page.getByText('The album was deleted.').waitFor()
    await page.getByText('No albums yet').waitFor()
    assert.deepEqual(await keeper.owner.albums(), [])

    const { albumId } = await keeper.owner.createAlbum({ name: 'Elsewhere' })
    await page.reload()
    await page.getByText('Elsewhere').waitFor()
    await keeper.owner.deleteAlbum(albumId)
    await page.getByText('No albums yet').waitFor()
  })
})
