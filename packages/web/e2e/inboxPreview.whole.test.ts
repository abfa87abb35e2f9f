/** Previews of files in the owner's inbox, in a real browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { preview as previewText } from '../src/text/en/preview.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { pngOf } from './pictures.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const utf8 = (content: string) => new TextEncoder().encode(content)

/** Opens the dialog of a file, and asks for its preview. */
async function askForPreview(page: Page, name: string): Promise<void> {
  await button(page, name).click()
  await button(page, text.details.preview).click()
}

async function openPreview(page: Page, name: string): Promise<Frame> {
  await askForPreview(page, name)
  const frame = await (await page.waitForSelector('iframe.preview')).contentFrame()
  assert.ok(frame)
  return frame
}

describe('a preview in the inbox', () => {
  it('shows pictures and texts in a frame that runs no code and has no network', async (t) => {
    const { owner } = await world.keeper()
    const url = (await owner.createLink()).url
    const hostile = `<script>document.title='run'</script><img src="${world.url}/healthz?from=html">`
    await sendFile(url, pngOf({ width: 64, height: 48 }), { name: 'picture.txt', type: 'text/plain' })
    await sendFile(url, utf8(`<!doctype html>${hostile}`), { name: 'page.png', type: 'image/png' })
    await sendFile(url, utf8(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${hostile}</svg>`), {
      name: 'drawing.svg',
      type: 'image/svg+xml',
    })
    await sendFile(url, utf8(`\x89PNG\r\n\x1a\n and no more`), { name: 'other.bin' })
    await sendFile(url, Uint8Array.from([0x89, ...Buffer.from('PNG\r\n\x1a\nbroken')]), { name: 'broken.png' })
    const refused = /Content-Security-Policy|Refused to connect|violates the following/
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner, expected: [refused] })
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))

    // Before the owner asks for a preview, only the headers with the names are fetched.
    const picture = await openPreview(page, 'picture.txt')
    await picture.waitForSelector('img')
    const { width, height } = await picture.$eval('img', (image: HTMLImageElement) => ({
      width: image.naturalWidth,
      height: image.naturalHeight,
    }))
    assert.deepEqual([width, height], [64, 48])
    await assertAccessible(page)
    await page.keyboard.press('Escape')

    for (const name of ['page.png', 'drawing.svg']) {
      const frame = await openPreview(page, name)
      assert.match((await frame.locator('pre').textContent()) ?? '', /<script>document.title/)
      assert.equal(await frame.title(), 'Preview')
      assert.equal(await frame.locator('svg, img, script:not([src])').count(), 0)
      await page.keyboard.press('Escape')
    }
    assert.deepEqual(
      asked.filter((address) => address.includes('from=html')),
      [],
    )

    const frame = await openPreview(page, 'page.png')
    const reach = await frame.evaluate(async (server) => {
      const tries = {
        fetch: () => fetch(`${server}/healthz`),
        page: () => window.parent.document.title,
        storage: () => localStorage.length,
        database: () => indexedDB.open('x'),
      }
      const reached: string[] = []
      for (const [name, attempt] of Object.entries(tries)) {
        try {
          await attempt()
          reached.push(name)
        } catch {}
      }
      const image = new Image()
      image.src = `${server}/healthz?from=frame`
      const outcome = await new Promise((resolve) => {
        image.onload = () => resolve('loaded')
        image.onerror = () => resolve('failed')
      })
      return { reached, outcome, origin: window.origin }
    }, world.url)
    assert.deepEqual(reach, { reached: [], outcome: 'failed', origin: 'null' })
    await page.keyboard.press('Escape')

    await askForPreview(page, 'other.bin')
    await page.getByText(previewText.unknown).waitFor()
    await page.keyboard.press('Escape')
    await askForPreview(page, 'broken.png')
    await page.getByText(previewText.failed).waitFor()
    await assertAccessible(page)
  })
})
