/** Work on many files in a real browser: begun by keys, taken over by another tab, forgotten with the sign-out. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Owner } from '@blindkeep/client/owner'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page, Route } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { until } from '../../../testing/until.ts'
import { isolated } from '../src/common/names/isolated.ts'
import { albums as albumsText } from '../src/text/en/albums.ts'
import { inbox as inboxText } from '../src/text/en/inbox.ts'
import { owner as ownerText } from '../src/text/en/owner.ts'
import { work as text } from '../src/text/en/work.ts'
import { storedRows } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function arrived(owner: Owner, count: number): Promise<void> {
  const { url } = await owner.createLink()
  for (let index = 0; index < count; index++)
    await sendFile(url, Uint8Array.from(randomBytes(9)), { name: `file-${index}.bin` })
}

/** Holds these requests until `letGo`, which ends each by `then`. */
async function hold(page: Page, address: string, then: (route: Route) => Promise<void>) {
  const held: Route[] = []
  await page.route(address, (route) => void held.push(route))
  return {
    async letGo(): Promise<void> {
      await page.unroute(address)
      for (const route of held) await then(route)
    },
  }
}

const rowsStored = (page: Page): Promise<readonly unknown[]> =>
  page.evaluate(
    () =>
      new Promise<readonly unknown[]>((resolve, reject) => {
        const opened = indexedDB.open('blindkeep.work')
        opened.onerror = () => reject(opened.error)
        opened.onsuccess = () => {
          const all = opened.result.transaction('items').objectStore('items').getAll()
          all.onsuccess = () => {
            opened.result.close()
            resolve(all.result.map((row) => JSON.stringify({ ...row, sealed: new TextDecoder().decode(row.sealed) })))
          }
        }
      }),
  )

describe('work on many files', () => {
  it('begins with keys, goes on in the next tab, and counts what another device has done before', async (t) => {
    const { owner } = await world.keeper()
    await arrived(owner, 9)
    const { page, context } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner })
    await page.getByText('file-0.bin').waitFor()
    await page.keyboard.press('j')
    await page.locator(':focus').and(page.locator('.drop').nth(0).locator('.open')).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    await page.getByText(/^1 file selected/).waitFor()
    assert.ok(await page.getByLabel(inboxText.choose('file-7.bin')).isChecked())
    // Three tab stops: checkbox, name, and the toolbar, whose buttons the arrow keys reach.
    const stops: (string | null)[] = []
    for (const key of ['Tab', 'ArrowRight', 'Tab', 'Tab', 'Tab']) {
      await page.keyboard.press(key)
      stops.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null))
    }
    const [first, second] = ['file-7.bin', 'file-6.bin']
    assert.deepEqual(stops, [
      ...[inboxText.keepOf(first), inboxText.downloadOf(first)],
      ...[inboxText.choose(second), null, inboxText.keepOf(second)],
    ])
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: text.keys.title })
    await assertAccessible(page)
    await help.getByLabel(text.keys.on).uncheck()
    await button(page, text.keys.close).click()
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('a')
    await page.getByText(/^1 file selected/).waitFor()
    await button(page, text.keys.title).click()
    await help.getByLabel(text.keys.on).check()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('a')
    await page.getByText(/^9 files selected/).waitFor()
    await page.keyboard.press('e')

    // Three leave the inbox, and what the device signs is on its way.
    const held = await hold(page, '**/v1/upload', (route) => route.abort().catch(() => undefined))
    const uploads = page.waitForRequest('**/v1/upload')
    await button(page, inboxText.keeping.submit(9)).click()
    await uploads
    const bar = page.getByRole('region', { name: text.region })
    await bar.getByText(text.running.keep(0, 9)).waitFor()
    await assertAccessible(page)
    const [oldest] = await owner.inbox()
    assert.ok(oldest?.file?.name === 'file-0.bin')
    await owner.discardDrop(oldest.dropId)
    assert.equal((await rowsStored(page)).length, 9)
    assert.doesNotMatch((await rowsStored(page)).join(), /file-\d/)

    const next = await context.newPage()
    await next.goto(`${world.url}/#/links`)
    await button(next, ownerText.elsewhere.use).click()
    await page.getByRole('heading', { name: ownerText.elsewhere.movedTitle }).waitFor()
    await held.letGo()
    await next.getByText(inboxText.keeping.done(8, 'Album')).waitFor()
    await next.getByText(text.already(1)).waitFor()
    assert.deepEqual(await rowsStored(next), [])
    assert.deepEqual(await owner.inbox(), [])
    const kept = []
    for await (const { changes } of owner.changes()) kept.push(...changes)
    assert.equal(new Set(kept.map(({ assetId }) => assetId)).size, 8)
    for (const { assetId } of kept) assert.ok((await owner.asset(assetId)).complete)
  })

  it('is listed on every page, stops, and is asked about and forgotten with a sign-out', async (t) => {
    const { owner } = await world.keeper()
    await arrived(owner, 8)
    const options = { url: `${world.url}/#/inbox`, signedInAs: owner, device: 'phone', colorScheme: 'dark' } as const
    const { page } = await browser.open(t, options)
    await page.getByText('file-7.bin').waitFor()
    const discardAll = async (count: number) => {
      await page.getByLabel(inboxText.chooseAll).check()
      await button(page, inboxText.discard).click()
      await button(page, inboxText.discarding.submit(count)).click()
    }
    const restore = world.line.down()
    await discardAll(8)
    await page.getByText(text.waiting).waitFor()
    await page.getByRole('link', { name: ownerText.pages.account }).click()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.getByText(text.running.discard(0, 8)).first().waitFor()
    await assertAccessible(page)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    await button(page, text.stop).click()
    await page.getByText(text.stopped(8)).waitFor()
    assert.deepEqual(await rowsStored(page), [])

    restore()
    await page.reload()
    await page.getByRole('link', { name: ownerText.pages.inbox }).click()
    await page.getByText('file-7.bin').waitFor()
    await page.route('**/v1/drops/*-*', () => undefined)
    await page.route('**/v1/auth/logout', (route) => route.abort())
    const discarding = page.waitForRequest((request) => request.method() === 'DELETE')
    await discardAll(8)
    await discarding
    await button(page, ownerText.signOut).click()
    await page.getByText(ownerText.busy.work).waitFor()
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 10_000)
    await button(page, ownerText.busy.leave).click()
    // A tab that is closed while its last request is under way must not stay signed in.
    await until(async () => (await storedRows(page)).length === 0, 'no session is stored', 20_000)
    await page.clock.fastForward(5_000)
    await page.clock.resume()
    await page.getByLabel('Password', { exact: true }).waitFor()
    assert.deepEqual(await rowsStored(page), [])
    assert.equal((await owner.inbox()).length, 8)
  })
})

/** The server deletes nothing until the function is called. */
async function refuseDeletions(page: Page): Promise<() => Promise<void>> {
  const code = 'error.asset.retained'
  const refusal = { status: 409, contentType: 'application/problem+json', json: { status: 409, code } }
  await page.route('**/v1/assets/*', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill(refusal) : route.fallback(),
  )
  return () => page.unroute('**/v1/assets/*')
}

async function assetsIn(owner: Owner, album: string): Promise<readonly string[]> {
  const ids = new Set<string>()
  for await (const { changes } of owner.changes()) for (const { assetId } of changes) ids.add(assetId)
  const names: string[] = []
  for (const assetId of ids) {
    const asset = await owner.asset(assetId).catch(() => undefined)
    if (asset?.albumId === album) names.push((await owner.describeAsset(asset)).name ?? '')
  }
  return names.toSorted()
}

describe('a move of files', () => {
  it('goes on with what it has read after a reload, beside other work, and names what is refused', async (t) => {
    const { owner, album, device } = await world.keeper()
    const hashes: string[] = []
    for (const name of ['one.bin', 'two.bin']) {
      const source = sourceOfBytes(Uint8Array.from(randomBytes(300_000)))
      const { assetId } = await owner.upload({ source, album, device, name })
      hashes.push((await owner.asset(assetId)).envelope.ciphertext_hash)
    }
    const { albumId } = await owner.createAlbum({ name: 'Taxes' })
    await arrived(owner, 1)
    const { page } = await browser.open(t, { url: `${world.url}/#/albums/${album}`, signedInAs: owner })
    await page.locator('.tile').nth(1).waitFor()
    const held = await hold(page, '**/v1/upload', (route) => route.abort().catch(() => undefined))
    await button(page, albumsText.selection.all).click()
    await button(page, albumsText.move.short).click()
    await page.getByRole('dialog').getByLabel('Taxes').check()
    await button(page, albumsText.move.confirm(2)).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const bar = page.getByRole('region', { name: text.region })
    await bar.getByText(text.running.move(0, 2)).first().waitFor()
    await assertAccessible(page)
    await until(async () => (await rowsStored(page)).every((row) => String(row).includes('note')))
    assert.doesNotMatch((await rowsStored(page)).join(), /one\.bin|Taxes/)

    // What takes one request does not wait for it.
    await page.getByRole('link', { name: ownerText.pages.inbox }).click()
    await button(page, inboxText.discardOf('file-0.bin')).click()
    await button(page, inboxText.discarding.submit(1)).click()
    await page.getByText(inboxText.discarding.doneOne(isolated('file-0.bin'))).waitFor()

    const allow = await refuseDeletions(page)
    const read: string[] = []
    page.on('request', (request) => {
      const hash = new URL(request.url()).pathname.split('/v1/blob/')[1]
      if (hash !== undefined && hashes.some((each) => each === hash)) read.push(hash)
    })
    await page.reload()
    await held.letGo()
    await bar.getByText(text.failed.move(2)).waitFor()
    await bar.getByText(/^one\.bin: /).waitFor()
    await bar.getByText(/^two\.bin: /).waitFor()
    await assertAccessible(page)
    assert.deepEqual(read.toSorted(), hashes.toSorted(), 'nothing is read again that was hashed before')
    assert.deepEqual(await assetsIn(owner, albumId), ['one.bin', 'two.bin'])
    await allow()
    await button(page, text.retry).click()
    await page.getByText(albumsText.move.done(2, 'Taxes')).waitFor()
    assert.deepEqual(await rowsStored(page), [])
    assert.deepEqual(await assetsIn(owner, albumId), ['one.bin', 'two.bin'])
    assert.deepEqual(await assetsIn(owner, album), [])
  })
})

/** A browser that asks for a folder: the answer is the origin's private file system. */
function askForPrivateFolder(page: Page): Promise<void> {
  return page.evaluate(() => {
    Object.assign(globalThis, { showDirectoryPicker: () => navigator.storage.getDirectory() })
  })
}

/** Paths and texts of what was saved there. */
function privateFolder(page: Page): Promise<Readonly<Record<string, string>>> {
  return page.evaluate(async () => {
    const found: Record<string, string> = {}
    const look = async (folder: FileSystemDirectoryHandle, path: string): Promise<void> => {
      for await (const [name, handle] of folder.entries())
        if (handle instanceof FileSystemFileHandle) found[path + name] = await (await handle.getFile()).text()
        else if (handle instanceof FileSystemDirectoryHandle) await look(handle, `${path}${name}/`)
    }
    await look(await navigator.storage.getDirectory(), '')
    return found
  })
}

describe('files that are saved into a folder', () => {
  it('are there one by one, under free names; one that fails is named, leaves nothing, and is tried again', async (t) => {
    const { owner } = await world.keeper()
    const { url } = await owner.createLink()
    for (const [name, content] of [
      ['trip/a.txt', 'first'],
      ['trip/a.txt', 'second'],
      ['b.txt', 'third'],
    ] as const)
      await sendFile(url, new TextEncoder().encode(content), { name })
    const [first] = (await owner.inbox()).filter(({ file }) => file?.name === 'b.txt')
    assert.ok(first !== undefined)
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner })
    await page.getByText('b.txt').waitFor()
    await askForPrivateFolder(page)
    const refused = `**/v1/drops/${first.dropId}/content`
    await page.route(refused, (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        json: { status: 409, code: 'error.drop.held' },
      }),
    )
    await page.getByLabel(inboxText.chooseAll).check()
    await page.locator('.choosing').getByRole('button', { name: inboxText.download, exact: true }).click()
    await page.getByRole('dialog', { name: text.saving.title(3) }).waitFor()
    await assertAccessible(page)
    await button(page, text.saving.folder).click()
    const bar = page.getByRole('region', { name: text.region })
    await bar.getByText(text.failed.save(1)).waitFor()
    await bar.getByText(/^b\.txt: /).waitFor()
    await assertAccessible(page)
    const saved = await privateFolder(page)
    assert.deepEqual(Object.keys(saved).toSorted(), ['trip/a (2).txt', 'trip/a.txt'])
    assert.deepEqual(Object.values(saved).toSorted(), ['first', 'second'])
    await page.unroute(refused)
    // It goes on whatever page is shown, and nothing of it is stored.
    await page.getByRole('link', { name: ownerText.pages.links }).click()
    await button(page, text.retry).click()
    await page.getByText(albumsText.saving.done(1)).waitFor()
    assert.equal((await privateFolder(page))['b.txt'], 'third')
    assert.deepEqual(await rowsStored(page), [])
  })
})

describe('files that are kept with a protection', () => {
  it('say so in what is signed, and the dialog says once what that means', async (t) => {
    const { owner, album } = await world.keeper()
    await arrived(owner, 2)
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner, device: 'phone' })
    await page.getByText('file-0.bin').waitFor()
    await page.getByLabel(inboxText.chooseAll).check()
    await button(page, inboxText.keep).click()
    await page.getByLabel(albumsText.protect.keeping(2)).check()
    await page.getByText(albumsText.protect.text(2)).waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    await assertAccessible(page)
    const day = page.getByLabel(albumsText.protect.until)
    await day.fill('2999-01-01')
    await button(page, inboxText.keeping.submit(2)).click()
    await page.locator(':focus').and(day).waitFor()
    assert.equal((await owner.inbox()).length, 2)
    const chosen = new Date(Date.now() + 50 * 86_400_000).toISOString().slice(0, 10)
    await day.fill(chosen)
    await button(page, inboxText.keeping.submit(2)).click()
    await page.getByText(inboxText.keeping.done(2, 'Album')).waitFor()
    for await (const { changes } of owner.changes())
      for (const { assetId } of changes) {
        const { albumId, envelope, retainedUntil = '' } = await owner.asset(assetId)
        assert.equal(albumId, album)
        assert.equal(Date.parse(envelope.retention_until ?? ''), Date.parse(retainedUntil))
        assert.ok(Math.abs(Date.parse(retainedUntil) - Date.parse(chosen)) < 86_400_000)
      }
  })
})
