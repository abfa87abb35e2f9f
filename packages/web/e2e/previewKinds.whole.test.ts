/** Previews that need a decoder or a player, in a real browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FrameLocator, Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { preview as previewText } from '../src/text/en/preview.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { filesOfKinds, watchDecoders } from './documents.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function lookAt(page: Page, name: string): Promise<FrameLocator> {
  await button(page, name).click()
  await button(page, text.details.preview).click()
  return page.frameLocator('iframe.preview')
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
