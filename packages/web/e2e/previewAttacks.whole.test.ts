/** Files that attack what previews them, in a real browser. The browser watches for requests to anywhere else. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { preview as previewText } from '../src/text/en/preview.ts'
import { useBrowser } from './browser.ts'
import { endlessPdf, fixture, growingPdf, pdfOf, tiffOf } from './documents.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** The picture states another size. */
function claiming(heic: Uint8Array<ArrayBuffer>, edge: number): Uint8Array<ArrayBuffer> {
  const place = Buffer.from(heic.buffer).indexOf('ispe')
  new DataView(heic.buffer).setUint32(place + 8, edge)
  new DataView(heic.buffer).setUint32(place + 12, edge)
  return heic
}

async function attacks(): Promise<Readonly<Record<string, readonly [Uint8Array, expected: string]>>> {
  const { failed, tooLarge, locked, notPlayed } = previewText
  const photo = await fixture('photo.heic')
  const film = await fixture('film.webm')
  const [zeros, strip] = [Buffer.alloc(40_000_000), new Uint8Array(100)]
  return {
    'cut.pdf': [pdfOf(['never seen']).slice(0, 60), failed],
    'growing.pdf': [growingPdf(), failed],
    'locked.pdf': [await fixture('locked.pdf'), locked],
    'cut.heic': [photo.slice(0, photo.length - 600), failed],
    'claims.heic': [claiming(await fixture('photo.heic'), 0xffff), tooLarge],
    'large.heic': [claiming(await fixture('photo.heic'), 9000), tooLarge],
    'lies.heic': [claiming(await fixture('photo.heic'), 2000), failed],
    'claims.tiff': [tiffOf({ width: 60_000, height: 60_000, compression: 1, strip }), tooLarge],
    'nothing.tiff': [tiffOf({ width: 0, height: 0, compression: 1, strip }), failed],
    'circle.tiff': [tiffOf({ width: 10, height: 10, compression: 1, strip, next: 8 }), failed],
    'bomb.tiff': [tiffOf({ width: 100, height: 100, compression: 8, strip: deflateSync(zeros) }), failed],
    'cut.webm': [film.slice(0, 60), notPlayed],
    'wrong.mp4': [Uint8Array.from(Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isom, and no film', 'latin1')), notPlayed],
  }
}

describe('a file that attacks its preview', () => {
  it('gets an answer, and nothing else of the page', async (t) => {
    const owner = await world.owner()
    const { url } = await owner.createLink()
    const files = await attacks()
    for (const [name, [content]] of Object.entries(files)) await sendFile(url, content, { name })
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner })
    for (const [name, [, expected]] of Object.entries(files)) {
      // Of rows far below no name is read.
      await page.getByRole('searchbox').fill(name)
      await button(page, name).click()
      await button(page, text.details.preview).click()
      await page
        .getByText(expected)
        .waitFor()
        .catch((error: unknown) => assert.fail(`${name}: ${String(error)}`))
      await page.keyboard.press('Escape')
    }
  })

  it('reaches nothing from a decoder that it has taken over, and is ended when it has no end, while the page goes on', async (t) => {
    const owner = await world.owner()
    const { url } = await owner.createLink()
    await sendFile(url, pdfOf(['A page']), { name: 'plan.pdf' })
    await sendFile(url, endlessPdf(), { name: 'endless.pdf' })
    const expected = [/of a worker: connect-src refused/, /of a worker: script-src/]
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner, expected })
    /** The worker that draws it. */
    const preview = async (name: string) => {
      await button(page, name).click()
      const started = page.waitForEvent('worker', (worker) => worker.url().startsWith('blob:'))
      await button(page, text.details.preview).click()
      return await started
    }
    const decoder = await preview('plan.pdf')
    await page.frameLocator('iframe.preview').locator('canvas').waitFor()
    const reached = await decoder.evaluate(async (server) => {
      const opened = (request: IDBOpenDBRequest) =>
        new Promise((resolve, reject) => {
          request.onsuccess = resolve
          request.onerror = reject
        })
      const tries: Readonly<Record<string, () => unknown>> = {
        fetch: () => fetch(`${server}/v1/version`),
        socket: () =>
          new Promise((resolve, reject) => {
            const socket = new WebSocket(server.replace('http', 'ws'))
            socket.onopen = resolve
            socket.onerror = reject
          }),
        script: () => Reflect.get(globalThis, 'importScripts')(`${server}/preview/tiff.js`),
        text: () => Reflect.construct(Function, ['return 1']),
        database: () => opened(indexedDB.open('x')),
        caches: () => caches.open('x'),
        files: () => navigator.storage.getDirectory(),
        page: () => Reflect.get(globalThis, 'parent').document,
      }
      const found: string[] = []
      for (const [name, attempt] of Object.entries(tries)) {
        try {
          await attempt()
          found.push(name)
        } catch {
          // Refused.
        }
      }
      return { found, origin: self.origin }
    }, world.url)
    assert.deepEqual(reached, { found: [], origin: 'null' })

    await page.keyboard.press('Escape')
    await page.clock.install()
    const endless = await preview('endless.pdf')
    const ended = endless.waitForEvent('close')
    await page.getByText(previewText.drawing).waitFor()
    // The page's patience ends now: the decoder would take a whole core until then.
    await page.clock.fastForward('01:00')
    await page.getByText(previewText.failed).waitFor()
    await ended
    assert.equal(await page.locator('iframe').count(), 0)
  })
})
