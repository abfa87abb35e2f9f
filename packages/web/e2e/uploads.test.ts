/** Uploads of the owner in a real browser, and adoptions, that stopped and go on. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page, Route } from 'playwright-core'
import { adoptInPart, type Keeper, openedDrops, sendFile } from '../../../testing/people.ts'
import { until } from '../../../testing/until.ts'
import { albums as albumTexts } from '../src/text/en/albums.ts'
import { owner as ownerTexts } from '../src/text/en/owner.ts'
import { problems as problemTexts } from '../src/text/en/problems.ts'
import { button, picture, tile } from './albumPage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { giveFiles } from './giveFiles.ts'
import { someFile } from './guestPage.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })

const albumUrl = ({ album }: Keeper) => `${world.url}/#/albums/${album}`

describe('an album', () => {
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

  it('shows a guest’s file of an interrupted adoption, with a preview, before it is signed, and signs no other drop that the server names then', async (t) => {
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
    await dialog.getByRole('button', { name: 'Show preview' }).click()
    await page.frameLocator('iframe.preview').locator('img').waitFor()
    await assertAccessible(page)

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

    await page.unroute(`**/v1/assets/${assetId}`)
    await button(page, /^Finish/).click()
    await page.getByText('The file is finished.').waitFor()
    const { signed, content } = await keeper.owner.openAsset(assetId)
    await content.cancel()
    assert.ok(signed)
  })

  it('hashes a large file in a worker, which ends with it, and goes on with an upload by itself when the server is back', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    await page.getByText('This album is empty').waitFor()
    const up = world.line.down()
    t.after(() => world.line.mend())
    await giveFiles(page.locator('.add-files'), someFile('small.bin', 400_000))
    await page.getByText(albumTexts.uploads.line).waitFor()
    await assertAccessible(page)
    up()
    await tile(page, 'small.bin').waitFor()

    const started: string[] = []
    page.on('worker', (worker) => void started.push(new URL(worker.url()).pathname))
    const film = someFile('film.bin', 5_000_000)
    await giveFiles(page.locator('.add-files'), film)
    await tile(page, 'film.bin').waitFor()
    assert.equal(started.length, 1)
    assert.match(started[0] ?? '', /fileHashWorker/)
    await until(() => page.workers().length === 0)
    await tile(page, 'film.bin').getByRole('link').click()
    const saved = await savedBy(page, () => button(page, 'Download').click())
    assert.deepEqual(saved.bytes, new Uint8Array(film.buffer))
  })

  it('resumes after a reload when the owner chooses the file again, and refuses another file', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner, device: 'phone' })
    page.on('dialog', (dialog) => void dialog.accept())
    const large = someFile('film.bin', 3_000_000)
    world.line.slow({ upBytesPerSecond: 100_000 })
    await giveFiles(page.locator('.add-files'), large)
    await page.getByText('Uploading').waitFor()
    await page.reload()
    world.line.slow({})
    await button(page, 'Choose the file').waitFor()
    await assertAccessible(page)
    const again = page.locator('.upload input[type=file]')
    await giveFiles(again, { ...large, buffer: large.buffer.subarray(1) })
    await page.getByText('This is another file').waitFor()
    await giveFiles(again, large)
    await page.getByText('The file is encrypted and uploaded.').waitFor()
    await tile(page, 'film.bin').waitFor()
  })

  const several = ['one', 'two', 'three', 'four', 'five'].map((name) => someFile(`${name}.bin`, 400_000))
  const missing = (page: Page) => page.getByText(albumTexts.uploads.phases.file_missing)

  it('asks for every file again after a reload, also those that only waited, and takes all that are chosen at once', async (t) => {
    const keeper = await world.keeper()
    const { page } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    page.on('dialog', (dialog) => void dialog.accept())
    world.line.slow({ upBytesPerSecond: 200_000 })
    t.after(() => world.line.mend())
    await giveFiles(page.locator('.add-files'), several)
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
    await giveFiles(page.locator('.upload input[type=file]').first(), several.slice(0, 4))
    await page.getByText('All 4 files are encrypted and uploaded.').waitFor()
    await page.reload()
    await tile(page, 'four.bin').waitFor()
    assert.deepEqual([await page.locator('.tile').count(), await page.locator('.upload').count()], [4, 0])

    // The owner does not know which have arrived, and chooses all of them again, twice.
    for (let time = 0; time < 2; time++) await giveFiles(page.locator('.add-files'), several)
    await page.getByText(albumTexts.uploads.alreadyThere(5, 'one.bin')).waitFor()
    await assertAccessible(page)
    await tile(page, 'five.bin').waitFor()
    assert.equal(await page.locator('.tile').count(), 5)
    await button(page, albumTexts.uploads.addAnyway(5)).click()
    await page.getByText('All 6 files are encrypted and uploaded.').waitFor()
    await page.locator('.tile').nth(9).waitFor()

    // The owner leaves the album before the page knows what it has.
    const held: Route[] = []
    await page.route('**/v1/sync*', (route) => void held.push(route))
    await giveFiles(page.locator('.add-files'), several)
    await page.getByText(albumTexts.uploads.looking(5)).waitFor()
    await page.getByRole('link', { name: albumTexts.back }).click()
    await page.getByText(albumTexts.uploads.looking(5)).waitFor({ state: 'detached' })
    const closes = () => dispatchEvent(new Event('beforeunload', { cancelable: true }))
    assert.equal(await page.evaluate(closes), false, 'the browser asks before it closes the page')
    await page.unroute('**/v1/sync*')
    for (const route of held) await route.continue().catch(() => undefined)
    await page.getByText(albumTexts.uploads.alreadyThere(5, 'one.bin')).first().waitFor()
    assert.equal(await page.evaluate(closes), true)
  })

  it('lists the uploads that another tab took over, which says so before', async (t) => {
    const keeper = await world.keeper()
    const { page, context } = await browser.open(t, { url: albumUrl(keeper), signedInAs: keeper.owner })
    world.line.slow({ upBytesPerSecond: 200_000 })
    t.after(() => world.line.mend())
    await giveFiles(page.locator('.add-files'), several)
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
})
