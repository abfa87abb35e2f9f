/** The storage page: checks, receipts and space. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openedDrops, sendFile } from '../../../testing/people.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { savedBy } from './saved.ts'
import { button, bytesOf, check, keep, results, row } from './storagePage.ts'
import { startWorld, useWorld } from './world.ts'

const run = promisify(execFile)
const browser = useBrowser()
const world = useWorld()

describe('a check', () => {
  it('of one album or of some files asks about nothing else', async (t) => {
    const keeper = await world.keeper()
    const { albumId } = await keeper.owner.createAlbum({ name: 'Travels' })
    await keep(keeper, 'one.txt', bytesOf(10))
    await keep(keeper, 'two.txt', bytesOf(20))
    await keep({ ...keeper, album: albumId }, 'train.jpg', bytesOf(30))
    const { page } = await browser.open(t, { url: `${world.url}/#/storage`, signedInAs: keeper.owner, device: 'phone' })
    await page.getByLabel('One album').check()
    await page.getByLabel('Album', { exact: true }).selectOption('Travels')
    await check(page)
    await results(page).getByText('The file is stored: every byte was read and is correct.').waitFor()
    await row(page, 'train.jpg').waitFor()
    await page.getByLabel('Only some').check()
    await button(page, 'Select files').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('one.txt').check()
    await assertAccessible(page)
    await button(page, 'Select 1 file').click()
    await check(page)
    await row(page, 'one.txt').getByText('Stored: every byte was read and is correct').waitFor()
    assert.equal(await results(page).locator('.outcomes > li').count(), 1)
  })
})

describe('a sample', () => {
  it('says its cost first, opens random pieces, finds a lost one, and is remembered after a reload', async (t) => {
    const keeper = await world.keeper()
    await keep(keeper, 'large.bin', bytesOf(3_000_000))
    await keep(keeper, 'small.txt', bytesOf(10))
    const { page } = await browser.open(t, { url: `${world.url}/#/storage`, signedInAs: keeper.owner })
    await page.getByLabel(/^Sample: this browser downloads random pieces/).check()
    await page.getByText('Downloads at most 3 MB, and about 30 kB for each file.').waitFor()
    await page.getByLabel('How many pieces').selectOption('30')
    await page.getByText('Almost always finds it when 14.3% of all pieces are lost.').waitFor()
    await assertAccessible(page)
    await check(page)
    await results(page).getByText('Sample: 30 of 30 pieces opened, drawn at random from 4.').waitFor()
    await results(page)
      .getByText(/If 14\.3% of all pieces were lost/)
      .waitFor()
    await assertAccessible(page)
    await page.route('**/v1/blob/*', (route) =>
      /^bytes=\d{7}-/.test(route.request().headers().range ?? '') ? route.fulfill({ status: 403 }) : route.continue(),
    )
    await page.getByLabel(/^Sample: /).check()
    await check(page)
    await row(page, 'large.bin').getByText('A piece is not right').waitFor()
    await row(page, 'large.bin').getByText('The server refused the bytes.').waitFor()
    await results(page).getByText('1 of 2 files has a problem. Keep your own copy.').waitFor()
    await assertAccessible(page)
    await page.unroute('**/v1/blob/*')
    await page.reload()
    const remembered = page.getByRole('region', { name: 'Samples in this browser' })
    await remembered.getByText('30 of 30 pieces opened, of 4 in all.').waitFor()
    assert.equal(await remembered.getByRole('listitem').count(), 2)
    const saved = await savedBy(page, () => remembered.getByRole('button', { name: 'Download as JSON' }).click())
    assert.doesNotMatch(saved.bytes.toString(), /large|small/)
  })
})

describe('the receipts', () => {
  it('of a guest’s file begin with its arrival, and are valid for independent checkers', async (t) => {
    const keeper = await world.keeper()
    const { url } = await keeper.owner.createLink()
    await sendFile(url, bytesOf(9_000), { name: 'from a guest.png' })
    const [drop] = await openedDrops(keeper.owner)
    assert.ok(drop)
    await keeper.owner.adoptDrop(drop, keeper)
    const { page } = await browser.open(t, { url: `${world.url}/#/storage`, signedInAs: keeper.owner })
    await check(page)
    await button(page, /^Receipts of/).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('All 4 receipts were checked').waitFor()
    await dialog.getByText('It arrived from a guest').waitFor()
    await assertAccessible(page)
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-receipts-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const one = join(directory, 'one.json')
    const all = join(directory, 'all.json')
    await writeFile(
      one,
      (
        await savedBy(page, () =>
          button(page, /^Download this receipt/)
            .first()
            .click(),
        )
      ).bytes,
    )
    await writeFile(all, (await savedBy(page, () => button(page, 'Download all').click())).bytes)
    const example = fileURLToPath(import.meta.resolve('../../protocol/examples/checkReceipt.mjs'))
    assert.match((await run(process.execPath, [example, world.url, one])).stdout, /holds/)
    const checker = fileURLToPath(import.meta.resolve('../../../conformance/checker/main.ts'))
    const flags = ['--disable-warning=ExperimentalWarning', checker, all, '--keys', world.url, '--json']
    const report = JSON.parse((await run(process.execPath, flags)).stdout)
    assert.deepEqual([report.receipts, report.fault_count], [4, 0])
  })
})

describe('the space', () => {
  it('is up to date without a reload, and every page says when the owner has to act', async (t) => {
    const own = await startWorld()
    t.after(() => own.stop())
    const { server, url } = own
    const keeper = await own.keeper()
    await keep(keeper, 'a.bin', bytesOf(5_000))
    const limit = async (...flags: readonly string[]) => {
      const { status, stderr } = await server.command(['account', 'quota', keeper.owner.accountId, ...flags])
      assert.equal(status, 0, stderr)
    }
    const { page } = await browser.open(t, { url: `${url}/#/storage`, signedInAs: keeper.owner, device: 'phone' })
    const space = page.getByRole('region', { name: 'Space' })
    await space.getByText('Your account has no limit.').waitFor()
    await limit('--soft', '1000', '--hard', '1MB')
    await space.getByText('Your storage is nearly full').waitFor()
    await space.getByRole('progressbar', { name: 'Storage used' }).waitFor()
    await assertAccessible(page)
    await limit('--soft', '1000', '--hard', '2000')
    await space.getByText('Your storage is full', { exact: true }).waitFor()
    await page.goto(`${url}/#/links`)
    await page.getByText('guests see that there is no room').first().waitFor()
    await assertAccessible(page)
    await server.restart({ QUOTA_GRACE_DAYS: '0' })
    await page.goto(`${url}/#/storage`)
    await page.reload()
    await space.getByText('Your storage has been full for too long').waitFor()
    await assertAccessible(page)
  })
})
