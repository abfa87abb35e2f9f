/** All with pages alone: a link, a guest's file, its download, its album, and the copy that may be deleted. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inbox } from '../src/text/en/inbox.ts'
import { links } from '../src/text/en/links.ts'
import { clipboardOf, useBrowser } from './browser.ts'
import { giveFiles } from './giveFiles.ts'
import { allArrived, button, choose, MIB, sendChosen, someFile } from './guestPage.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })

describe('a file', () => {
  it('goes from a guest’s phone into an album, and its copy may be deleted once every byte is proven', async (t) => {
    const owner = await world.owner()
    const visit = await browser.open(t, { url: `${world.url}/#/links`, signedInAs: owner })
    const { page } = visit
    await button(page, links.createFirst).click()
    await page.getByLabel(links.form.label, { exact: true }).fill('Holidays')
    await button(page, links.form.submit).click()
    await button(page, links.ready.copy).click()
    await button(page, links.ready.copied).waitFor()
    const link = await clipboardOf(visit)
    await button(page, links.ready.done).click()
    await page.getByRole('link', { name: 'Inbox' }).click()
    await page.getByRole('heading', { name: inbox.emptyTitle }).waitFor()

    const guest = await browser.open(t, { url: link, device: 'phone', colorScheme: 'dark' })
    world.line.slow({ upBytesPerSecond: MIB, latencyMs: 100 })
    t.after(() => world.line.slow({}))
    const film = someFile('film of the sea.mp4', 2 * MIB)
    await choose(guest.page, film)
    await guest.page.getByLabel('Message', { exact: true }).fill('The long one')
    await guest.page.getByLabel('Your name').fill('Ada')
    await sendChosen(guest.page)
    await allArrived(guest.page)
    world.line.slow({})

    // Without a reload.
    const row = page.locator('.drop').filter({ hasText: film.name })
    await row.getByText('from Ada').waitFor()
    await row.getByText('The long one').waitFor()
    await page.waitForFunction(() => document.title.includes('(1)'))
    const saved = await savedBy(page, () => row.getByRole('button', { name: /^Download/ }).click())
    assert.equal(saved.name, film.name)
    assert.ok(film.buffer.equals(saved.bytes))

    await row.getByRole('button', { name: /^Keep/ }).click()
    await page.getByLabel(inbox.keeping.newAlbumName).fill('Sea')
    await button(page, inbox.keeping.submit(1)).click()
    await page.getByRole('link', { name: inbox.keeping.toAlbum }).click()
    await page.getByRole('heading', { name: 'Sea', level: 1 }).waitFor()
    await page.locator('li').filter({ hasText: film.name }).first().waitFor()

    await page.getByRole('link', { name: 'Storage' }).click()
    await button(page, 'Check now').click()
    await page.getByText('every byte was read and is correct').first().waitFor()
    const before = page.getByRole('region', { name: 'Before you delete your own copies' })
    await giveFiles(before.locator('input[type=file]').first(), film)
    await page.getByRole('heading', { name: /^Yes: you may delete this copy/ }).waitFor()
  })
})
