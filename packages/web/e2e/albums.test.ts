/** The owner's albums in a real browser: upload, preview, download, share and delete. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { endingSoon } from '../../../testing/endingSoon.ts'
import { adoptInPart, anotherClient, type Keeper, openedDrops, sendFile } from '../../../testing/people.ts'
import { until } from '../../../testing/until.ts'
import { unzipped, whyNoUnzip } from '../../../testing/unzipped.ts'
import { keyName } from '../src/owner/account/keyName.ts'
import { albums as albumTexts } from '../src/text/en/albums.ts'
import { inbox as inboxTexts } from '../src/text/en/inbox.ts'
import { owner as ownerTexts } from '../src/text/en/owner.ts'
import { problems as problemTexts } from '../src/text/en/problems.ts'
import { share as receiverTexts } from '../src/text/en/share.ts'
import { shares as sharesTexts } from '../src/text/en/shares.ts'
import { assertAccessible } from './axe.ts'
import { clipboardOf, useBrowser } from './browser.ts'
import { pngOf } from './pictures.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })

const picture = pngOf({ width: 640, height: 420 })
const text = new TextEncoder().encode('Sealed before it leaves.\n'.repeat(90_000))
const files = [
  { name: 'meadow.png', mimeType: 'image/png', buffer: Buffer.from(picture) },
  { name: 'letters.txt', mimeType: 'text/plain', buffer: Buffer.from(text) },
]
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const albumUrl = ({ album }: Keeper) => `${world.url}/#/albums/${album}`
const tile = (page: Page, name: string) => page.locator('.tile').filter({ hasText: name })

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

async function upload({ owner, album, device }: Keeper, name: string, content: Uint8Array) {
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), album, device, name })
  return assetId
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

  it('uploads a picture, with a thumbnail, that another client of the account can open', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner, device: 'phone' })
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

  it('shows what another client adds and deletes, and creates a thumbnail at the first preview', async (t) => {
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

  it('finishes an upload that stopped before it was signed', async (t) => {
    const keeper = await world.keeper()
    const { owner } = keeper
    const source = sourceOfBytes(new Uint8Array(randomBytes(5000)))
    const state = await owner.prepareUpload({ ...keeper, source, name: 'half.bin' })
    const cut = new AbortController()
    const onState = ({ metadata }: typeof state) => metadata.uploadId !== undefined && cut.abort(new Error('cut'))
    await assert.rejects(
      owner.finishUpload({ state, source, signal: cut.signal, onState: (changed) => void onState(changed) }),
      /cut/,
    )
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: owner })
    await page.getByText('Not finished', { exact: true }).waitFor()
    await assertAccessible(page)
    await button(page, 'Look at the file').click()
    await page.getByRole('heading', { name: 'half.bin', level: 3 }).waitFor()
    await page.getByText('Your own upload', { exact: true }).waitFor()
    await assertAccessible(page)
    await button(page, /^Finish/).click()
    await page.getByText('The file is finished.').waitFor()
    await page.getByText('Not finished', { exact: true }).waitFor({ state: 'detached' })
    assert.ok((await owner.asset(state.envelope.file_id)).complete)
  })

  /** The owner looks at a file of a guest whose adoption stopped before it was signed. */
  async function lookAtAdopted(t: TestContext) {
    const keeper = await world.keeper()
    const { url } = await keeper.owner.createLink()
    const facts = { name: 'meadow.png', type: 'image/png', sender: 'Ada', note: 'As promised.' }
    await sendFile(url, picture, facts)
    const [drop] = await openedDrops(keeper.owner)
    assert.ok(drop)
    const assetId = await adoptInPart(keeper, drop)
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner, device: 'phone' })
    await button(page, 'Look at the file').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: facts.name, level: 3 }).waitFor()
    await dialog.getByText(facts.sender).waitFor()
    await dialog.getByText(facts.note).waitFor()
    return { keeper, assetId, page, dialog }
  }

  it('shows a guest’s file, with a preview, before an interrupted adoption is signed', async (t) => {
    const { keeper, assetId, page, dialog } = await lookAtAdopted(t)
    await dialog.getByRole('button', { name: 'Show preview' }).click()
    await page.frameLocator('iframe.preview').locator('img').waitFor()
    await assertAccessible(page)
    assert.equal((await keeper.owner.asset(assetId)).complete, false)
    await button(page, /^Finish/).click()
    await page.getByText('The file is finished.').waitFor()
    const { signed, content } = await keeper.owner.openAsset(assetId)
    await content.cancel()
    assert.ok(signed)
  })

  it('does not finish an adoption when the server names another drop after the file was shown', async (t) => {
    const { keeper, assetId, page, dialog } = await lookAtAdopted(t)
    const { url } = await keeper.owner.createLink()
    await sendFile(url, randomBytes(100), { name: 'other.bin' })
    const [other] = await openedDrops(keeper.owner)
    assert.ok(other)
    await page.route(`**/v1/assets/${assetId}`, async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      await route.fulfill({ response, json: { ...body, drop: { ...body.drop, drop_id: other.dropId } } })
    })
    await button(page, /^Finish/).click()
    await dialog.getByText(problemTexts.asset.asset_differs).waitFor()
    await assertAccessible(page)
    assert.equal((await keeper.owner.asset(assetId)).complete, false)
  })

  it('hashes a large file in a worker, which ends with it', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    const started: string[] = []
    page.on('worker', (worker) => void started.push(new URL(worker.url()).pathname))
    const content = randomBytes(5_000_000)
    await page.locator('.add-files').setInputFiles([{ name: 'film.bin', mimeType: '', buffer: content }])
    await page.getByText('The file is encrypted and uploaded.').waitFor()
    assert.equal(started.length, 1)
    assert.match(started[0] ?? '', /fileHashWorker/)
    await until(() => page.workers().length === 0)
    await tile(page, 'film.bin').getByRole('link').click()
    const saved = await savedBy(page, () => button(page, 'Download').click())
    assert.deepEqual(saved.bytes, new Uint8Array(content))
  })

  it('resumes after a reload when the owner chooses the file again, and refuses another file', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner, device: 'phone' })
    page.on('dialog', (dialog) => void dialog.accept())
    const large = { name: 'film.bin', mimeType: '', buffer: randomBytes(3_000_000) }
    world.line.slow({ upBytesPerSecond: 100_000 })
    await page.locator('.add-files').setInputFiles([large])
    await page.getByText('Uploading').waitFor()
    await page.reload()
    world.line.slow({})
    await button(page, 'Choose the file').waitFor()
    await assertAccessible(page)
    const again = page.locator('.upload input[type=file]')
    await again.setInputFiles([{ ...large, buffer: large.buffer.subarray(1) }])
    await page.getByText('This is another file').waitFor()
    await again.setInputFiles([large])
    await page.getByText('The file is encrypted and uploaded.').waitFor()
    await tile(page, 'film.bin').waitFor()
  })

  const several = ['one', 'two', 'three', 'four', 'five'].map((name) => ({
    name: `${name}.bin`,
    mimeType: '',
    buffer: randomBytes(400_000),
  }))
  const missing = (page: Page) => page.getByText(albumTexts.uploads.phases.file_missing)

  it('asks for every file again after a reload, also those that only waited, and takes all that are chosen at once', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    page.on('dialog', (dialog) => void dialog.accept())
    world.line.slow({ upBytesPerSecond: 200_000 })
    t.after(() => world.line.mend())
    await page.locator('.add-files').setInputFiles(several)
    await page.getByText(albumTexts.uploads.leave).waitFor()
    await page.getByText('Uploading').first().waitFor()
    await page.reload()
    world.line.mend()
    await missing(page).nth(4).waitFor()
    assert.equal(await missing(page).count(), 5)
    await page.getByText(albumTexts.uploads.missing).waitFor()
    assert.deepEqual(await page.locator('.upload-name').allInnerTexts(), several.map(({ name }) => name).toSorted())
    await assertAccessible(page)
    await button(page, 'Cancel five.bin').click()
    await page.locator('.upload input[type=file]').first().setInputFiles(several.slice(0, 4))
    await page.getByText('All 4 files are encrypted and uploaded.').waitFor()
    await page.reload()
    await tile(page, 'four.bin').waitFor()
    assert.deepEqual([await page.locator('.tile').count(), await page.locator('.upload').count()], [4, 0])
  })

  it('lists the uploads that another tab took over, which says so before', async (t) => {
    const keeper = await world.keeper()
    const { page, context } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    world.line.slow({ upBytesPerSecond: 200_000 })
    t.after(() => world.line.mend())
    await page.locator('.add-files').setInputFiles(several)
    await page.getByText('Uploading').first().waitFor()
    // From here on the first tab gets no further, however late the second one is.
    await page.route('**/v1/upload/**', () => undefined)
    world.line.mend()
    const second = await context.newPage()
    await second.route('**/v1/upload/**', (route) => route.abort())
    await second.goto(albumUrl(keeper))
    await second.getByText(ownerTexts.elsewhere.explain).waitFor()
    await button(second, ownerTexts.elsewhere.use).click()
    await missing(second).first().waitFor()
    await page.getByRole('heading', { name: ownerTexts.elsewhere.movedTitle }).waitFor()
    const listed = await second.locator('.upload-name').allInnerTexts()
    assert.ok(listed.includes('five.bin'), listed.join())
  })

  it('goes on with an upload by itself when the server is back', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    await page.getByText('This album is empty').waitFor()
    const up = world.line.down()
    t.after(() => world.line.mend())
    await page.locator('.add-files').setInputFiles(several.slice(0, 1))
    await page.getByText(albumTexts.uploads.line).waitFor()
    await assertAccessible(page)
    up()
    await page.getByText('The file is encrypted and uploaded.').waitFor()
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
    await page.getByText('Cannot be deleted before').waitFor()
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

  it('says in the list which of its files were deleted', async (t) => {
    const keeper = await world.keeper()
    const { owner } = keeper
    const assets = [await upload(keeper, 'stays.txt', text), await upload(keeper, 'leaves.txt', text)]
    await owner.createShare(assets, { name: 'Both' })
    const { page } = await browser.open(t, { url: `${world.url}/#/shares`, signedInAs: owner })
    const both = page.getByRole('listitem').filter({ hasText: 'Both' })
    await both.getByText('2 files').waitFor()
    await owner.deleteAsset(assets[1] ?? '')
    const gone = both.getByText('1 file no longer available')
    await gone.waitFor()
    assert.match(await gone.innerText(), /leaves\.txt$/)
    await assertAccessible(page)
  })

  it('that has ended can be removed from the list', async (t) => {
    const keeper = await world.keeper()
    const assetId = await upload(keeper, 'old.txt', text)
    const expiresAt = await endingSoon(async (at) => {
      await keeper.owner.createShare([assetId], { expiresAt: at })
      return at
    })
    // The time that a page takes from the server has whole seconds.
    await until(() => Date.now() > Date.parse(expiresAt) + 1000, 'the share ends')
    const { page } = await browser.open(t, { url: `${world.url}/#/shares`, signedInAs: keeper.owner })
    await page.getByText('Ended', { exact: true }).waitFor()
    assert.equal(await button(page, /Stop sharing/).count(), 0)
    await assertAccessible(page)
    await button(page, /^Remove from this list: /).click()
    await button(page, 'Remove from the list').click()
    await page.getByText('No shares yet').waitFor()
  })
})
