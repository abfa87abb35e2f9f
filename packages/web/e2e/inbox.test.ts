/** The owner's inbox in a real browser: arrival, download, keep and discard. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Owner } from '@blindkeep/client/owner'
import { MAX_HEADER_TEXT_BYTES } from '@blindkeep/protocol/suites'
import type { Page, Route } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { unzipped, whyNoUnzip } from '../../../testing/unzipped.ts'
import { isolated } from '../src/common/names/isolated.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { work as workText } from '../src/text/en/work.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { dropRubbish } from './rubbish.ts'
import { savedBy } from './saved.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })
const inboxUrl = () => `${world.url}/#/inbox`
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const row = (page: Page, name: string) => page.locator('.drop').filter({ hasText: name })
const bytes = (count: number) => Uint8Array.from(randomBytes(count))

async function linkOf(owner: Owner, label: string): Promise<string> {
  return (await owner.createLink({ label })).url
}

async function contentOf(owner: Owner, assetId: string): Promise<Uint8Array> {
  return new Uint8Array(await new Response((await owner.openAsset(assetId)).content).arrayBuffer())
}

/** The assets of all albums of the account. */
async function assetIdsOf(owner: Owner): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { changes } of owner.changes()) ids.push(...changes.map(({ assetId }) => assetId))
  return ids
}

/** A browser that asks for a place: the answer is a file in the origin's private file system. */
async function askInPrivateFiles(page: Page): Promise<void> {
  await page.evaluate(() => {
    const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })
    Object.assign(globalThis, { showSaveFilePicker })
  })
}

function privateFiles(page: Page): Promise<readonly (readonly [string, number])[]> {
  return page.evaluate(async () => {
    const files: [string, number][] = []
    const directory = await navigator.storage.getDirectory()
    for await (const [name, handle] of directory.entries())
      if (handle instanceof FileSystemFileHandle) files.push([name, (await handle.getFile()).size])
    return files
  })
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await wait(20)
}

/** A malicious server, or an attacker on the way, changes the last byte of a file. */
async function alterContent(route: Route): Promise<void> {
  const answer = await route.fetch()
  const body = await answer.body()
  if (answer.status() === 200) body[body.length - 1] = (body.at(-1) ?? 0) ^ 1
  await route.fulfill({ response: answer, body })
}

/** Files that pieces of work have still to do, as the browser stores them. */
const leftIn = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opened = indexedDB.open('blindkeep.work')
        opened.onerror = () => reject(opened.error)
        opened.onsuccess = () => {
          const count = opened.result.transaction('items').objectStore('items').count()
          count.onsuccess = () => {
            opened.result.close()
            resolve(count.result)
          }
        }
      }),
  )

describe('an inbox', () => {
  it('explains itself when it is empty, shows a new file without a reload, and every name, sender and message as plain text', async (t) => {
    const { owner } = await world.keeper()
    const { page } = await browser.open(t, { url: inboxUrl(), signedInAs: owner, device: 'phone' })
    await page.getByRole('heading', { name: text.emptyTitle }).waitFor()
    await page.getByRole('link', { name: text.toLinks }).waitFor()
    await assertAccessible(page)
    const url = await linkOf(owner, '<b>Wedding</b>')
    await sendFile(url, bytes(1234), { name: 'Grüße.bin', sender: 'Anna', note: 'For you.' })
    await row(page, 'Grüße.bin').getByText('from Anna').waitFor()
    await row(page, 'Grüße.bin').getByText('For you.').waitFor()
    await row(page, 'Grüße.bin').getByText('<b>Wedding</b>').waitFor()
    await row(page, 'Grüße.bin').getByText('1.23 kB').waitFor()
    await page.getByText('1 file · 1.23 kB', { exact: true }).waitFor()
    await page.waitForFunction(() => document.title.includes('(1)'))
    await assertAccessible(page)

    const markup = '<img src=x onerror=alert(1)>'
    await sendFile(url, bytes(1), { name: markup, sender: markup, note: markup, type: markup })
    await sendFile(url, bytes(1), {
      name: `${'n'.repeat(MAX_HEADER_TEXT_BYTES.name - 4)}.txt`,
      note: 'long\n'.repeat(300),
    })
    await sendFile(url, bytes(1), { name: '../../etc/passwd\n\u0000\r' })
    await row(page, markup).getByText(`from ${markup}`).waitFor()
    assert.ok((await row(page, 'nnnn').boundingBox())?.height ?? 1000 < 300)
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    assert.equal(await isWide(), false)
    await row(page, 'nnnn').getByRole('button', { name: /^nnn/ }).click()
    await button(page, text.noteMore).click()
    assert.equal(await isWide(), false)
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await row(page, '../../etc/passwd').getByRole('button', { name: /^\.\./ }).click()
    await page.getByRole('dialog').getByText('_.._etc_passwd', { exact: true }).waitFor()
  })

  it('downloads a file byte for byte, and nothing of a file that was changed on the way', async (t) => {
    const { owner } = await world.keeper()
    const content = bytes(700_000)
    await sendFile(await linkOf(owner, 'Anyone'), content, { name: 'invoice\u202Efdp.exe' })
    const { page } = await browser.open(t, { url: inboxUrl(), signedInAs: owner })
    const saveButton = row(page, 'invoicefdp.exe').getByRole('button', { name: /^Download/ })
    await saveButton.waitFor()

    await askInPrivateFiles(page)
    const savedFiles = () => privateFiles(page)
    await page.route('**/v1/drops/*/content', alterContent)
    await saveButton.click()
    await page.getByText(text.tampered).waitFor()
    assert.deepEqual(await savedFiles(), [])
    await assertAccessible(page)
    await page.unroute('**/v1/drops/*/content')
    await saveButton.click()
    await page.getByText(text.downloaded(isolated('invoicefdp.exe'))).waitFor()
    assert.deepEqual(await savedFiles(), [['invoicefdp.exe', content.length]])

    await page.evaluate(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
    await page.route('**/v1/drops/*/content', alterContent)
    await saveButton.click()
    await page.getByText(text.tampered).waitFor()
    await page.unroute('**/v1/drops/*/content')
    const saved = await savedBy(page, () => saveButton.click())
    assert.equal(saved.name, 'invoicefdp.exe')
    assert.deepEqual(saved.bytes, content)
  })

  it('downloads several files as one ZIP, and nothing if it is stopped or a file was changed on the way', async (t) => {
    const { owner } = await world.keeper()
    const url = await linkOf(owner, 'Anyone')
    const files = { 'day 1/Grüße 文.txt': bytes(50_000), 'day 1/empty': bytes(0), '../x.bin': bytes(10) }
    await dropRubbish(url)
    const batch = { id: 'cd'.repeat(16), count: 3 }
    for (const [index, [name, content]] of Object.entries(files).entries())
      await sendFile(url, content, { name, sender: 'Ada', batch: { ...batch, index } })
    const { page } = await browser.open(t, { url: inboxUrl(), signedInAs: owner })
    const title = `${text.batch.count(3)} ${text.from('Ada')}`
    await page.getByLabel(text.choose(title)).check()
    const saveBatch = button(page, text.zip.download)
    const zip = await savedBy(page, () => saveBatch.click())
    const named = (what: string) => new RegExp(`^${what} \\d{4}-\\d\\d-\\d\\d\\.zip$`)
    assert.match(zip.name, named(title))
    await page.getByText(text.zip.done(3)).waitFor()
    await page.getByLabel(text.chooseAll, { exact: true }).check()
    const whole = await savedBy(page, () => button(page, text.zip.download).click())
    assert.match(whole.name, named(text.zip.title(4)))
    await page.getByText(text.zip.left(1)).waitFor()
    await assertAccessible(page)
    await page.getByLabel(text.chooseAll, { exact: true }).uncheck()
    await page.getByLabel(text.choose(title)).check()

    await page.route('**/v1/drops/*/content', alterContent)
    await saveBatch.click()
    await page.getByText(text.tampered).waitFor()
    await page.unroute('**/v1/drops/*/content')
    await page.getByRole('alert').getByText('Grüße 文.txt').waitFor()
    let answers = (_route: Route): void => undefined
    const asked = new Promise<Route>((resolve) => {
      answers = resolve
    })
    await page.route('**/v1/drops/*/content', (route) => answers(route))
    await saveBatch.click()
    const route = await asked
    const progress = page.getByRole('progressbar', { name: text.downloading(zip.name) })
    await progress.waitFor()
    const others = page.getByRole('main').getByRole('button', { name: /^Download/ })
    assert.ok((await others.count()) >= 4)
    for (const other of await others.all()) assert.ok(await other.isDisabled())
    await page.setViewportSize({ width: 900, height: 400 })
    for (const y of [0, 10_000]) {
      await page.evaluate((top) => scrollTo(0, top), y)
      const box = await progress.boundingBox()
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 400, `in view at ${y}`)
    }
    await assertAccessible(page)
    await button(page, text.stop).click()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await route.abort()

    // A browser that asks for a place has made an empty file there, which does not stay when the ZIP cannot begin.
    await askInPrivateFiles(page)
    await page.getByLabel(text.choose(title)).uncheck()
    await page.getByLabel(text.choose(text.unopened)).check()
    await button(page, text.zip.download).click()
    await page.getByText(text.zip.none).waitFor()
    assert.deepEqual(await privateFiles(page), [])

    const skip = await whyNoUnzip()
    if (skip !== undefined) return t.skip(skip)
    const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
    const expected = Object.entries(files).map(([name, content]) => [name.replace('../', ''), hash(content)])
    for (const { bytes: archive } of [zip, whole])
      assert.deepEqual(
        (await unzipped(archive)).map((file) => [file.name, file.hash]),
        expected,
      )
  })

  it('signs at the next visit what was being kept when the page was closed', async (t) => {
    const { owner, album } = await world.keeper()
    const url = await linkOf(owner, 'Anyone')
    const names = ['a.bin', 'b.bin', 'c.bin']
    for (const name of names) await sendFile(url, bytes(10), { name })
    const { page, context } = await browser.open(t, { url: inboxUrl(), signedInAs: owner })
    // The files leave the inbox; what the device signs is on its way.
    await page.route('**/v1/upload', () => undefined)
    await page.getByLabel(text.chooseAll).check()
    await button(page, text.keep).click()
    await button(page, text.keeping.submit(3)).click()
    await untilTrue(async () => (await owner.inbox()).length === 0)
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    await (await asked).accept()

    const next = await context.newPage()
    await next.goto(inboxUrl())
    await next.getByText(text.keeping.done(3, 'Album')).waitFor()
    const ids = await assetIdsOf(owner)
    const kept = await Promise.all(ids.map(async (id) => owner.describeAsset(await owner.asset(id))))
    assert.deepEqual(kept.map(({ name }) => name).toSorted(), names)
    for (const id of ids) assert.deepEqual((await owner.asset(id)).albumId, album)
    await next.reload()
    await next.getByRole('heading', { name: text.emptyTitle }).waitFor()
    assert.equal(await next.getByText(text.keeping.done(3, 'Album')).count(), 0)
  })

  it('keeps one file in a new album, and later several more in the same album', async (t) => {
    const owner = await world.owner()
    const url = await linkOf(owner, 'Anyone')
    const content = bytes(5000)
    await sendFile(url, content, { name: 'first.bin' })
    const { page } = await browser.open(t, { url: inboxUrl(), signedInAs: owner, device: 'phone', colorScheme: 'dark' })
    await row(page, 'first.bin').getByRole('button', { name: 'first.bin', exact: true }).click()
    await assertAccessible(page)
    await button(page, text.keepLong).click()
    await button(page, text.keeping.submit(1)).click()
    await page.getByText(text.keeping.nameMissing).waitFor()
    await assertAccessible(page)
    await page.getByLabel(text.keeping.newAlbumName).fill('Family')
    await button(page, text.keeping.submit(1)).click()
    await page.getByText(text.keeping.doneOne(isolated('first.bin'), 'Family')).waitFor()
    await page.getByRole('heading', { name: text.emptyTitle }).waitFor()
    const [album] = await owner.albums()
    assert.equal(album?.name, 'Family')
    const link = page.getByRole('link', { name: text.keeping.toAlbum })
    assert.equal(await link.getAttribute('href'), `#/albums/${album?.albumId}`)
    const [assetId = ''] = await assetIdsOf(owner)
    assert.deepEqual(await contentOf(owner, assetId), content)

    for (const name of ['a.bin', 'b.bin', 'c.bin']) await sendFile(url, bytes(10), { name })
    await row(page, 'c.bin').waitFor()
    await page.getByLabel(text.chooseAll).check()
    await page.getByText(/^3 files selected/).waitFor()
    await assertAccessible(page)
    await button(page, text.keep).click()
    // Discarded on another device while the dialog is open.
    const discarded = (await owner.inbox()).find(({ file }) => file?.name === 'b.bin')
    await owner.discardDrop(discarded?.dropId ?? '')
    await button(page, text.keeping.submit(3)).click()
    await page.getByText(text.keeping.done(2, 'Family')).waitFor()
    await page.getByText(workText.already(1)).waitFor()
    await page.getByRole('heading', { name: text.emptyTitle }).waitFor()
    assert.equal((await assetIdsOf(owner)).length, 3)
  })

  it('shows what was sent in one go as one batch, which more files join, and keeps or discards it as one', async (t) => {
    const { owner } = await world.keeper()
    const url = await linkOf(owner, 'Wedding')
    const facts = { sender: 'Anna', note: 'All from Sunday.' }
    const send = (index: number) =>
      sendFile(url, bytes(10), { ...facts, name: `day/${index}.jpg`, batch: { id: 'ab'.repeat(16), index, count: 8 } })
    for (const index of [6, 5, 4, 3, 2, 1, 0]) await send(index)
    await sendFile(url, bytes(10), { ...facts, name: 'alone.jpg' })
    const { page } = await browser.open(t, { url: inboxUrl(), signedInAs: owner, device: 'phone' })
    await page.setViewportSize({ width: 320, height: 640 })
    const title = (count: number) => `${text.batch.count(count)} ${text.from('Anna')}`
    const batch = page.getByRole('article', { name: title(7), exact: true })
    await batch.waitFor()
    const words = page.getByText('All from Sunday.')
    await words.nth(1).waitFor()
    assert.equal(await words.count(), 2)
    const rows = page.locator('.batch .drop')
    const names = async () => (await rows.locator('.name').allTextContents()).map((name) => name.slice(-5))
    assert.deepEqual(await names(), ['0.jpg', '1.jpg', '2.jpg', '3.jpg', '4.jpg'])
    await button(page, text.batch.unfold(7)).focus()
    await page.keyboard.press('Enter')
    await rows.nth(6).waitFor()
    assert.equal(await button(page, text.batch.fold).getAttribute('aria-expanded'), 'true')
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    // So high that no checkbox is half behind the list of pages, and too small there.
    await page.setViewportSize({ width: 320, height: 2000 })
    await assertAccessible(page)

    // The focus stays on a row that moves into the batch when its name is read.
    let answer = (_route: Route): void => undefined
    const asked = new Promise<Route>((resolve) => {
      answer = resolve
    })
    await page.route('**/v1/drops/*/content', (route) => answer(route))
    await send(7)
    await row(page, text.unread).getByRole('checkbox').focus()
    await (await asked).continue()
    await page.getByRole('heading', { name: title(8), exact: true }).waitFor()
    assert.deepEqual((await names()).at(-1), '7.jpg')
    await page.locator(':focus').and(row(page, '7.jpg').getByRole('checkbox')).waitFor()
    await page.unroute('**/v1/drops/*/content')
    await page.keyboard.press('Space')
    await page.getByText(/^1 file selected/).waitFor()
    const all = page.getByLabel(text.choose(title(8)))
    assert.ok(await all.evaluate((box) => box instanceof HTMLInputElement && box.indeterminate))
    await all.check()
    await page.getByText(/^8 files selected/).waitFor()
    await all.uncheck()

    // So high that the message at its end covers no button.
    await page.setViewportSize({ width: 1280, height: 1400 })
    await button(page, text.discardOf('day/7.jpg')).click()
    await button(page, text.discarding.submit(1)).click()
    await batch.waitFor()
    // The row that has taken its place has the focus.
    await page.waitForFunction(() => document.activeElement?.closest('[data-drop]') instanceof HTMLElement)
    await assertAccessible(page)
    await page.getByLabel(text.choose(title(7))).check()
    await button(page, text.keep).click()
    const refused: string[] = []
    page.on('response', (answer) => void (answer.status() >= 400 && refused.push(answer.url())))
    await button(page, text.keeping.submit(7)).click()
    await page.getByText(text.keeping.done(7, 'Album')).waitFor()
    await batch.waitFor({ state: 'detached' })
    await row(page, 'alone.jpg').waitFor()
    assert.equal((await assetIdsOf(owner)).length, 7)
    // Browsers write each refusal into the console.
    assert.deepEqual(refused, [])
  })

  it('forgets what was being kept when it is discarded, and discards a range selected by shift-click, after a question and a lost connection', async (t) => {
    const { owner } = await world.keeper()
    const [wedding, taxes] = [await linkOf(owner, 'Wedding'), await linkOf(owner, 'Taxes')]
    const { page } = await browser.open(t, { url: inboxUrl(), signedInAs: owner })
    for (const name of ['a.bin', 'b.bin']) await sendFile(taxes, bytes(10), { name })
    for (const name of ['a.bin', 'b.bin']) await row(page, name).waitFor()
    await page.route('**/adopt', (route) => route.fulfill({ status: 422 }))
    await page.getByLabel(text.chooseAll).check()
    await button(page, text.keep).click()
    await button(page, text.keeping.submit(2)).click()
    await page.getByText(workText.failed.keep(2)).waitFor()
    assert.equal(await leftIn(page), 2)
    await button(page, text.discard).click()
    await button(page, text.discarding.submit(2)).click()
    await page.getByText(text.discarding.done(2)).waitFor()
    assert.equal(await leftIn(page), 0)

    for (const name of ['1.bin', '2.bin', '3.bin', '4.bin']) await sendFile(wedding, bytes(10), { name })
    await sendFile(taxes, bytes(10), { name: '5.bin' })
    await row(page, '5.bin').waitFor()
    await page.getByLabel(text.filter).selectOption({ label: text.linkOption('Wedding', 4) })
    await page.getByLabel(text.choose('3.bin')).click()
    await page.getByLabel(text.choose('1.bin')).click({ modifiers: ['Shift'] })
    await page.getByText(/^3 files selected/).waitFor()
    await button(page, text.discard).click()
    await page.getByText(text.discarding.goesToBin).waitFor()
    await assertAccessible(page)
    const restore = world.line.down()
    await button(page, text.discarding.submit(3)).click()
    await page.getByText(workText.waiting).waitFor()
    await assertAccessible(page)
    restore()
    await page.getByText(text.discarding.done(3)).waitFor()
    await row(page, '4.bin').waitFor()
    assert.deepEqual(
      (await owner.inbox()).map(({ file }) => file?.name),
      ['4.bin', '5.bin'],
    )
  })

  it('lists a file that cannot be opened, which can be discarded but not kept', async (t) => {
    const { owner } = await world.keeper()
    const url = await linkOf(owner, 'Anyone')
    await dropRubbish(url)
    const { page } = await browser.open(t, { url: inboxUrl(), signedInAs: owner })
    const broken = row(page, text.unopened)
    await broken.getByText(text.faults.sealed).waitFor()
    await assertAccessible(page)
    await broken.getByRole('button', { name: text.unopened, exact: true }).click()
    await page.getByRole('dialog').getByText(text.faults.sealed).waitFor()
    assert.equal(await button(page, text.keepLong).count(), 0)
    await page.getByRole('dialog').getByRole('button', { name: text.discard }).click()
    await button(page, text.discarding.submit(1)).click()
    await page.getByRole('heading', { name: text.emptyTitle }).waitFor()
    assert.deepEqual(await owner.inbox(), [])
  })
})
