/** Previews that need a decoder or a player, and the thumbnails of an album, in a real browser. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { FrameLocator, Page } from 'playwright-core'
import { type Keeper, sendFile } from '../../../testing/people.ts'
import { account as accountText } from '../src/text/en/account.ts'
import { albums as albumText } from '../src/text/en/albums.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { preview as previewText } from '../src/text/en/preview.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { pdfOf, wavOf } from './documents.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const fixture = async (name: string) => new Uint8Array(await readFile(join(import.meta.dirname, 'files', name)))

async function lookAt(page: Page, name: string): Promise<FrameLocator> {
  await button(page, name).click()
  await button(page, text.details.preview).click()
  return page.frameLocator('iframe.preview')
}

/** The files of decoders that the page has fetched since the last call. */
function watchDecoders(page: Page): () => readonly string[] {
  let fetched: string[] = []
  page.on('request', (request) => {
    const [, name] = /\/preview\/(.+\.(?:js|wasm))$/.exec(request.url()) ?? []
    if (name !== undefined) fetched.push(name)
  })
  return () => {
    const since = fetched.sort()
    fetched = []
    return since
  }
}

const filesOfKinds = async () => ({
  'plan.pdf': pdfOf(['The first page', 'And the second']),
  'photo.heic': await fixture('photo.heic'),
  'fax.tiff': await fixture('fax.tiff'),
  'film.webm': await fixture('film.webm'),
  'tone.wav': wavOf(),
  'letter.docx': new TextEncoder().encode('PK\x03\x04'),
})

async function uploadAll({ owner, album, device }: Keeper): Promise<void> {
  for (const [name, content] of Object.entries(await filesOfKinds()))
    await owner.upload({ source: sourceOfBytes(content), album, device, name })
}

describe('previews of documents, pictures of phones, films and sounds', () => {
  it('load their decoder when they are asked for, and turn pages', async (t) => {
    const keeper = await world.keeper()
    const url = (await keeper.owner.createLink()).url
    for (const [name, content] of Object.entries(await filesOfKinds())) await sendFile(url, content, { name })
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: keeper.owner })
    const decoders = watchDecoders(page)

    await button(page, 'letter.docx').click()
    await page.getByText(previewText.unknown).waitFor()
    assert.equal(await button(page, text.details.preview).count(), 0, 'it says so before the click')
    await page.keyboard.press('Escape')
    const tone = await lookAt(page, 'tone.wav')
    assert.ok((await tone.locator('audio').evaluate((player: HTMLAudioElement) => player.duration)) > 0.9)
    await page.keyboard.press('Escape')
    const film = await lookAt(page, 'film.webm')
    assert.equal(await film.locator('video').evaluate((player: HTMLVideoElement) => player.videoWidth), 96)
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    assert.deepEqual(decoders(), [], 'no decoder is loaded before it is asked for')

    const plan = await lookAt(page, 'plan.pdf')
    await plan.getByRole('img', { name: 'Preview of plan.pdf' }).waitFor()
    await plan.getByText('The first page').waitFor({ state: 'attached' })
    await assertAccessible(page)
    await page.keyboard.press('ArrowRight')
    await page.getByText(previewText.page(2, 2)).waitFor()
    await plan.getByText('And the second').waitFor({ state: 'attached' })
    await button(page, previewText.pageBack).click()
    await plan.getByText('The first page').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    assert.deepEqual(decoders(), ['pdf.js', 'pdfium.wasm'])

    const photo = await lookAt(page, 'photo.heic')
    assert.equal(await photo.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.width), 320)
    await page.keyboard.press('Escape')
    assert.deepEqual(decoders(), ['heic.js', 'libheif.js', 'libheif.wasm'])
    await lookAt(page, 'fax.tiff')
    await button(page, previewText.pageOn).click()
    await page.getByText(previewText.page(2, 2)).waitFor()
    await page.keyboard.press('Escape')
    assert.deepEqual(decoders(), ['tiff.js'])
  })
})

describe('thumbnails of an album', () => {
  it('are made on one click, and of what is kept from then on where the owner wants that', async (t) => {
    const keeper = await world.keeper()
    await uploadAll(keeper)
    const { page } = await browser.open(t, { url: `${world.url}/#/albums/${keeper.album}`, signedInAs: keeper.owner })
    const decoders = watchDecoders(page)
    const tile = (name: string) => page.locator('.tile').filter({ hasText: name })
    await tile('film.webm').waitFor()
    await button(page, albumText.thumbnails.make).waitFor()
    await assertAccessible(page)
    assert.equal(await page.locator('.tile img').count(), 0, 'nothing is drawn by itself')
    assert.deepEqual(decoders(), [])
    await button(page, albumText.thumbnails.make).click()
    for (const name of ['plan.pdf', 'photo.heic', 'fax.tiff', 'film.webm']) await tile(name).locator('img').waitFor()
    await page.getByText(`${albumText.thumbnails.done(4)} ${albumText.thumbnails.none(2)}`).waitFor()
    assert.equal(await page.locator('.tile img').count(), 4)
    assert.equal(await button(page, albumText.thumbnails.make).count(), 0, 'the others are not offered again')

    await page.goto(`${world.url}/#/account`)
    await button(page, accountText.thumbnails.start).click()
    await page.getByText(accountText.thumbnails.isOn, { exact: true }).waitFor()
    await assertAccessible(page)
    const { url } = await keeper.owner.createLink()
    await sendFile(url, await fixture('photo.heic'), { name: 'second.heic' })
    await page.goto(`${world.url}/#/inbox`)
    await button(page, 'second.heic').click()
    await button(page, text.keepLong).click()
    await button(page, text.keeping.submit(1)).click()
    await page.goto(`${world.url}/#/albums/${keeper.album}`)
    await tile('second.heic').locator('img').waitFor()
  })
})
