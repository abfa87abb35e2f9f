/** What the operator says about itself, on the pages that strangers open first. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { choose, someFile } from './guestPage.ts'
import { useWorld } from './world.ts'

const NAME = 'Büro דנה'
const browser = useBrowser()
const silent = useWorld()
const world = useWorld({
  env: { SITE_NAME: NAME, SITE_IMPRINT_URL: 'https://example.org/imprint', SITE_PRIVACY_URL: 'https://büro.example/' },
})
const noteOf = (page: Page) => page.locator('.operator-note')

/** The note is there, after every field, with the name apart from the text around it, and hosts in ASCII. */
async function assertLast(page: Page, fields: number): Promise<void> {
  const note = noteOf(page)
  await note.locator('bdi').getByText(NAME, { exact: true }).waitFor()
  assert.deepEqual(await note.locator('a').allInnerTexts(), [
    'Imprint: example.org',
    'Privacy notice: xn--bro-hoa.example',
  ])
  const before = await note.evaluate((last) =>
    [...document.querySelectorAll('main input')].map(
      (field) => (field.compareDocumentPosition(last) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
    ),
  )
  assert.ok(before.length >= fields && before.every((isBefore) => isBefore), `${before}`)
  await assertAccessible(page)
}

describe('what the operator says about itself', () => {
  it('is below everything on a guest’s page, and asked for after the link', async (t) => {
    const { url } = await world.link({ passphrase: 'a word for guests' })
    const { page } = await browser.open(t, { url: `${world.url}/healthz` })
    const order: string[] = []
    page.on('request', (request) => order.push(`> ${new URL(request.url()).pathname}`))
    page.on('response', (response) => order.push(`< ${new URL(response.url()).pathname}`))
    await page.goto(url)
    await choose(page, [someFile('letter.pdf', 100)])
    await page.getByRole('textbox', { name: 'Passphrase' }).waitFor()
    await assertLast(page, 2)
    const answered = order.findIndex((one) => one.startsWith('< /d/'))
    assert.ok(answered !== -1 && order.indexOf('> /v1/site') > answered, order.join('\n'))
  })

  it('is below the passphrase on the page of a share', async (t) => {
    const { owner, album, device } = await world.keeper()
    const source = sourceOfBytes(new Uint8Array(10))
    const { assetId } = await owner.upload({ source, album, device, name: 'a' })
    const { url } = await owner.createShare([assetId], { passphrase: 'open sesame' })
    const { page } = await browser.open(t, { url, device: 'phone', colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Open' }).waitFor()
    await assertLast(page, 1)
  })

  it('is below the password on the sign-in page', async (t) => {
    const { page } = await browser.open(t, { url: world.url })
    await page.getByLabel('Password', { exact: true }).waitFor()
    await assertLast(page, 2)
  })

  it('is nothing if the operator says nothing, and no page of a server depends on it', async (t) => {
    const { url } = await silent.link()
    const { page } = await browser.open(t, { url: `${silent.url}/healthz` })
    const asked = page.waitForResponse((response) => response.url().endsWith('/v1/site'))
    await page.goto(url)
    assert.deepEqual(await (await asked).json(), {})
    await page.getByText('Choose files', { exact: true }).waitFor()
    assert.equal(await noteOf(page).count(), 0)

    const pagesOf = async (server: string) => {
      const document = await (await fetch(`${server}/u/any`)).text()
      const scripts = [...document.matchAll(/"\.\.(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
      assert.ok(scripts.length > 1)
      const pages = ['/', '/u/any', '/v/any', '/preview/', '/app/app.webmanifest', '/push/worker.js', ...scripts]
      return Promise.all(
        pages.map(async (path) => {
          const answer = await fetch(`${server}${path}`)
          const headers = new Map(answer.headers)
          for (const own of ['date', 'x-request-id']) headers.delete(own)
          return { path, headers, bytes: Buffer.from(await answer.arrayBuffer()).toString('base64') }
        }),
      )
    }
    assert.deepEqual(await pagesOf(world.url), await pagesOf(silent.url))
  })
})
