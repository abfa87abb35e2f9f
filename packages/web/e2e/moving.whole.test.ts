/** A real move of a real server, as owner and guest see it, from the announcement to the receipts of both names. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { openChecker } from '../../../conformance/checker/check.ts'
import { readItems } from '../../../conformance/checker/input.ts'
import { moveServer } from '../../../testing/moveServer.ts'
import { freePort } from '../../../testing/startServer.ts'
import { guest as guestText } from '../src/text/en/guest.ts'
import { moving as text } from '../src/text/en/moving.ts'
import { storage as storageText } from '../src/text/en/storage.ts'
import { button, section, signIn } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { savedBy } from './saved.ts'
import { bytesOf, check, keep } from './storagePage.ts'
import { startWorld } from './world.ts'

const browser = useBrowser()

const WITHOUT_TLS = { INSECURE_PUBLIC_URL: 'allowed', REGISTRATION: 'open' }

describe('a server that moves', () => {
  it('is followed by its owner and a guest, with the password and the link that they have', async (t) => {
    const port = await freePort()
    const [before, after] = [`http://keep.localhost:${port}`, `http://drop.localhost:${port}`] as const
    const world = await startWorld({ port, publicUrl: before, env: WITHOUT_TLS })
    t.after(() => world.stop())
    const { server } = world
    const { owner, email, password } = await world.person()
    const { albumId } = await owner.createAlbum({ name: 'Album' })
    const keeper = { owner, album: albumId, device: await owner.addDevice(undefined, { tie: false }) }
    await keep(keeper, 'before.bin', bytesOf(9_000))
    const { url } = await owner.createLink()
    const visit = { leadsTo: [after] }

    const told = await server.command(['move', 'announce', 'https://drop.example', '--on', '2099-12-01'])
    assert.equal(told.status, 0, told.stderr)
    const { page } = await browser.open(t, { ...visit, url: `${before}/#/storage` })
    await signIn(page, { email, password })
    await section(page, text.announced.title('drop.example', '1 Dec 2099')).waitFor()
    const { page: sender, context } = await browser.open(t, { ...visit, url })
    await button(sender, guestText.choose.files).waitFor()
    const send = async () => {
      const file = { name: 'after.txt', mimeType: 'text/plain', buffer: Buffer.from('after') }
      await sender.locator('input[type=file]').first().setInputFiles(file)
      await button(sender, guestText.send(1)).click()
    }
    await context.route('**/d/*/*', (route) => route.abort())
    await send()
    await sender.getByText(guestText.failures.no_connection, { exact: true }).first().waitFor()

    await moveServer(server, after)
    await page.getByText(text.moved.title, { exact: true }).waitFor()
    await assertAccessible(page)
    await button(page, text.moved.reload).click()

    await page.waitForURL(`${after}/#/storage`)
    await page.getByText(text.former.passkeys, { exact: true }).waitFor()
    await signIn(page, { email, password })
    await page.getByText(text.look.what, { exact: true }).waitFor()
    await button(page, text.look.done).click()

    await context.unroute('**/d/*/*')
    await sender.getByText(guestText.failures.server_moved, { exact: true }).waitFor()
    await button(sender, guestText.openAgain).click()
    await sender.waitForURL(url.replace(before, after))
    await send()
    await sender.getByText(guestText.receipt.save).first().waitFor({ state: 'attached' })

    await check(page)
    await page.getByRole('button', { name: /^Receipts of/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(storageText.receipts.checkedNames, { exact: true }).waitFor()
    await dialog
      .getByText(new RegExp(`^Receipts with the server ${before} are signed by a key that ${after}`))
      .waitFor()
    await assertAccessible(page)
    const { bytes } = await savedBy(page, () => button(page, storageText.receipts.saveAll).click())
    const saved = Buffer.from(bytes).toString()
    const document = JSON.parse(saved)
    const checker = await openChecker({ keys: document, moves: document, pins: undefined, whole: false, log: false })
    for await (const item of readItems(Readable.from([saved]))) checker.take(item)
    const report = await checker.finish()
    assert.deepEqual([report.fault_count, report.receipts], [0, 3], saved)
  })
})
