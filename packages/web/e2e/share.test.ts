/** The page of a share link, with valid and damaged links and with honest and malicious servers. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCalls } from '@blindkeep/client/call'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { changeBody, flipInBase64, isRequest } from '../../../testing/maliciousServer.ts'
import type { Keeper } from '../../../testing/people.ts'
import { shareTexts } from '../src/share/texts.ts'
import { assertAccessible } from './axe.ts'
import { BARE } from './bare.ts'
import { useBrowser } from './browser.ts'
import { pngOf } from './pictures.ts'
import { savedBy } from './saved.ts'
import { useWorldBehindProxy } from './world.ts'

const words = shareTexts.en

const browser = useBrowser()
let keeper: Keeper
const { world, proxy } = useWorldBehindProxy(async (started) => {
  keeper = await started.keeper()
})

const picture = pngOf({ width: 300, height: 200 })
const text = new TextEncoder().encode('One line.\nAnother <b>line</b>.\n')
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })

interface SharedFile {
  readonly name?: string
  readonly content: Uint8Array
}

const shared = (...files: readonly SharedFile[]) => sharedWith({ passphrase: undefined }, ...files)

async function sharedWith(
  { passphrase }: { readonly passphrase: string | undefined },
  ...files: readonly SharedFile[]
) {
  const { owner, album, device } = keeper
  const assetIds: string[] = []
  for (const { name, content } of files) {
    const facts = { name, modifiedAt: '2026-03-04T05:06:07.000Z' }
    assetIds.push((await owner.upload({ source: sourceOfBytes(content), album, device, ...facts })).assetId)
  }
  return { ...(await owner.createShare(assetIds, { passphrase })), assetIds }
}

describe('the page of a share', () => {
  it('shows names, sizes and times, previews on request, and downloads one file or all', async (t) => {
    const { url } = await shared(
      { name: 'view.png', content: picture },
      { name: 'lines.txt', content: text },
      { content: text },
    )
    const { page } = await browser.open(t, { url })
    await page.getByText('lines.txt', { exact: true }).waitFor()
    await page.getByText('Changed 4 Mar 2026').first().waitFor()
    await page.getByText('Unnamed file', { exact: true }).waitFor()
    assert.equal(await page.locator('iframe').count(), 0, 'no preview opens by itself')
    await assertAccessible(page)
    await button(page, 'Show preview of lines.txt').click()
    await page.frameLocator('iframe.preview').getByText('Another <b>line</b>.').waitFor()
    await assertAccessible(page)
    await button(page, 'Close').click()
    await button(page, 'Show preview of view.png').click()
    await page.frameLocator('iframe.preview').locator('img').click()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.locator(':focus').and(button(page, 'Show preview of view.png')).waitFor()
    const saved = await savedBy(page, () => button(page, 'Download view.png').click())
    assert.deepEqual(saved, { name: 'view.png', bytes: picture })
    const downloads: string[] = []
    page.on('download', (download) => void downloads.push(download.suggestedFilename()))
    await button(page, 'Download all').click()
    await page.getByText('Downloaded').nth(2).waitFor()
    while (downloads.length < 3) await page.waitForEvent('download')
    assert.deepEqual(downloads, ['view.png', 'lines.txt', 'Unnamed file'])
  })

  it('goes on after a double click on "Download", and says when a download was stopped', async (t) => {
    const { url } = await shared({ name: 'plan.docx', content: text }, { name: 'lines.txt', content: text })
    const { page } = await browser.open(t, { url })
    let goOn = (): void => undefined
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    await page.route('**/s/*/blob/**', async (route) => {
      await held
      await route.continue().catch(() => undefined)
    })
    await page.evaluate(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
    await button(page, 'Download plan.docx').dblclick()
    await button(page, 'Stop downloading plan.docx').waitFor()
    assert.equal(await button(page, 'Show preview of plan.docx').count(), 0)
    await button(page, 'Stop downloading plan.docx').click()
    await page.getByText(words.stopped).waitFor()
    await assertAccessible(page)
    const saved = await savedBy(page, async () => {
      await button(page, 'Download plan.docx').dblclick()
      goOn()
    })
    assert.deepEqual(saved, { name: 'plan.docx', bytes: new Uint8Array(text) })
    assert.equal(await page.getByText(words.stopped).count(), 0)
  })

  it('asks for the passphrase, says when it is wrong, and remembers none', async (t) => {
    const { url } = await sharedWith({ passphrase: 'k7wm-p3xd-9qht-2vnc' }, { name: 'secret.txt', content: text })
    const { page } = await browser.open(t, { url, device: 'phone', passwordsInNode: true })
    await page.getByRole('heading', { name: words.asked.title }).waitFor()
    await assertAccessible(page)
    const field = page.getByLabel(words.asked.passphrase, { exact: true })
    await page.locator(':focus').and(field).waitFor()
    await field.fill('k7wm')
    await button(page, words.asked.open).click()
    await page.getByText(words.asked.wrong).waitFor()
    await page.locator(':focus').and(field).waitFor()
    await assertAccessible(page)
    await field.fill('K7WM P3XD 9QHT 2VNC')
    await page.keyboard.press('Enter')
    await page.getByText('secret.txt', { exact: true }).waitFor()
    const saved = await savedBy(page, () => button(page, 'Download secret.txt').click())
    assert.deepEqual(saved, { name: 'secret.txt', bytes: new Uint8Array(text) })
    const kept = await page.evaluate(async () => [
      JSON.stringify({ ...localStorage, ...sessionStorage }),
      (await indexedDB.databases()).length,
      document.cookie,
    ])
    assert.deepEqual(kept, ['{}', 0, ''])

    await page.reload()
    await field.waitFor()
    assert.equal(await field.inputValue(), '')
    // Another tab knows nothing of the first.
    const other = await page.context().newPage()
    await other.goto(url)
    await other.getByRole('heading', { name: words.asked.title }).waitFor()
  })

  it('asks for the passphrase although the server asks for none, and opens nothing of another index', async (t) => {
    const { url } = await sharedWith({ passphrase: 'Open Sesame' }, { name: 'secret.txt', content: text })
    const plain = await shared({ name: 'other.txt', content: text })
    const { body } = await createCalls({ baseUrl: proxy.url }).call('share', { path: { opaque_id: plain.opaqueId } })
    proxy.tamper({
      matches: isRequest('GET', /^\/s\/[^/]+$/),
      answer: (message) => ({
        ...message,
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(body)),
      }),
    })
    const { page } = await browser.open(t, { url, passwordsInNode: true })
    await page.getByLabel(words.asked.passphrase, { exact: true }).fill('open sesame')
    await button(page, words.asked.open).click()
    await page.getByRole('heading', { name: words.faults.tampered.title }).waitFor()
    assert.equal(await page.getByText('other.txt').count(), 0)
    proxy.tamper()
  })

  it('is one visit, also after a reload; the owner sees it and limits the downloads, and then others get none', async (t) => {
    const { url } = await shared({ name: 'lines.txt', content: text })
    const { page } = await browser.open(t, { url })
    await savedBy(page, () => button(page, 'Download lines.txt').click())
    await page.reload()
    await savedBy(page, () => button(page, 'Download lines.txt').click())
    const own = await browser.open(t, { url: `${world.url}/#/shares`, signedInAs: keeper.owner })
    const row = own.page.locator('.share-row').first()
    await row.getByText('Opened once · downloaded once').waitFor()
    await row.getByRole('button', { name: 'Limit the downloads of' }).focus()
    await own.page.keyboard.press('Enter')
    const field = own.page.getByLabel('How many downloads?')
    await field.fill('0')
    await own.page.getByText('A number from 1 to 250, or nothing.').waitFor()
    await assertAccessible(own.page)
    await field.fill('1')
    await own.page.keyboard.press('Enter')
    await row.getByText('0 of 1 downloads left').waitFor()
    await row.getByText('Downloads used up').waitFor()
    await assertAccessible(own.page)
    const other = await browser.open(t, { url })
    await other.page.getByText(words.faults.used_up.title).waitFor()
    await assertAccessible(other.page)
    await page.reload()
    await savedBy(page, () => button(page, 'Download lines.txt').click())
  })

  it('says what is wrong with a link, and reads it again when the reader corrects it in the same tab', async (t) => {
    const { url, opaqueId } = await shared({ name: 'a.txt', content: text })
    const [, fragment = ''] = url.split('#')
    const wrong: readonly (readonly [string, string])[] = [
      [`${proxy.url}/v/${opaqueId}`, 'The key is missing from the link'],
      [url.slice(0, -20), 'This link is damaged'],
      [`${url}A`, 'This link is damaged'],
      [`${proxy.url}/v/${opaqueId.slice(1)}#${fragment}`, 'This link is damaged'],
      [`${proxy.url}/v/${'0'.repeat(32)}#${fragment}`, 'Nothing is shared here any more'],
      [url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A'), 'The files do not match the link'],
    ]
    const { page } = await browser.open(t, {
      ...{ url: `${proxy.url}/v/x/${opaqueId}`, device: 'phone', expected: [/404 for /] },
    })
    await page.getByRole('heading', { name: 'There is nothing at this address', level: 1 }).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Go to the start page' }).click()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    assert.equal(page.url(), `${proxy.url}/`)
    for (const [address, title] of wrong) {
      await page.goto(address)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      if (address === wrong[0]?.[0]) await assertAccessible(page)
      await page.goto(url)
      await page.getByText('a.txt', { exact: true }).waitFor()
    }
  })

  it('opens when a program has rewritten the # of its link, and says who has seen the key, in the language of the reader', async (t) => {
    const { url } = await shared({ name: 'carried.txt', content: text })
    const from = proxy.seen.length
    const rewritten = `${url.replace('#', '%23')}.`
    const { page } = await browser.open(t, { url: rewritten, locale: 'de-DE', device: 'phone' })
    await page.getByText('carried.txt', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Dateien für Sie' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    await page.getByRole('heading', { name: shareTexts.de.exposed.title }).waitFor()
    assert.ok(page.url().startsWith(url), page.url())
    await assertAccessible(page)
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByRole('heading', { name: words.exposed.title }).waitFor()
    const key = url.split('#')[1] ?? assert.fail('the link has no key')
    assert.equal(
      proxy.seen.slice(from).filter((each) => JSON.stringify([each.path, each.headers]).includes(key)).length,
      1,
    )
  })

  it('shows nothing of a tampered index, and downloads nothing of a tampered file', async (t) => {
    const { url, assetIds } = await shared({ name: 'true.txt', content: text }, { name: 'gone.txt', content: picture })
    proxy.tamper({
      matches: isRequest('GET', /^\/s\/[^/]+$/),
      answer: changeBody((body) => Object.assign(body, { sealed_index: flipInBase64(body.sealed_index, 1200) })),
      times: 1,
    })
    const { page } = await browser.open(t, { url })
    await page.getByRole('heading', { name: 'The files do not match the link' }).waitFor()
    await assertAccessible(page)
    await button(page, 'Try again').click()
    await page.getByText('true.txt', { exact: true }).waitFor()

    proxy.tamper({
      matches: isRequest('GET', /^\/s\/[^/]+\/blob\//),
      answer: (message) => ({
        ...message,
        body: Buffer.from(message.body.map((byte, at) => (at === 1100 ? byte ^ 1 : byte))),
      }),
    })
    await page.evaluate(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
    let downloads = 0
    page.on('download', () => void downloads++)
    await button(page, 'Download true.txt').click()
    await page.getByText('This is not the file that was shared').waitFor()
    assert.equal(downloads, 0)
    await assertAccessible(page)

    proxy.tamper()
    await keeper.owner.deleteAsset(assetIds[1] ?? '')
    await button(page, 'Download gone.txt').click()
    await page.getByText('The file is no longer there').waitFor()
    const saved = await savedBy(page, () => button(page, 'Download true.txt').click())
    assert.deepEqual(saved.bytes, new Uint8Array(text))
  })

  it('is drawn before the script that decrypts has loaded', async (t) => {
    const { url } = await shared({ name: 'a.txt', content: text })
    const { page } = await browser.open(t, { url: `${world.server.url}${BARE}` })
    await page.route('**/receiver-*.js', (route) => route.abort())
    await page.goto(url.replace(proxy.url, world.server.url))
    await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor()
    await page.unroute('**/receiver-*.js')
  })
})
