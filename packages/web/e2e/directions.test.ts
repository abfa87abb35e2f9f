/** Names that turn the direction of text, on every page that shows names of others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { storage } from '../src/text/en/storage.ts'
import { useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

const TURNING = /[\u061C\u200E\u200F\u202A-\u202E\u2066\u2067]/u
const HOSTILE = 'invoice\u202Efdp.exe'
const PLAIN = 'invoicefdp.exe'

/** All that a person sees or hears of the page. */
async function assertTurnsNothing(page: Page, where: string): Promise<void> {
  await page.getByText(PLAIN).first().waitFor({ state: 'attached' })
  const drawn = `${await page.title()} ${await page.content()}`
  assert.ok(!TURNING.test(drawn), `${where}: ${TURNING.exec(drawn)?.index}`)
}

describe('a name that turns the direction of text', () => {
  it('does so on no page of the owner', async (t) => {
    const { owner, device } = await world.keeper()
    const { albumId: album } = await owner.createAlbum({ name: HOSTILE })
    const { url } = await owner.createLink({ label: HOSTILE, title: HOSTILE })
    const facts = { name: HOSTILE, type: HOSTILE, sender: HOSTILE, note: HOSTILE }
    const { assetId } = await owner.upload({ source: sourceOfBytes(Buffer.from('a')), album, device, ...facts })
    await owner.createShare([assetId], { name: HOSTILE })
    await sendFile(url, Buffer.from('b'), facts)
    const { page } = await browser.open(t, { url: `${world.url}/#/albums`, signedInAs: owner })
    for (const place of ['albums', `albums/${album}`, `albums/${album}/${assetId}`, 'shares', 'links', 'inbox']) {
      await page.goto(`${world.url}/#/${place}`)
      await assertTurnsNothing(page, place)
    }
    await page.goto(`${world.url}/#/storage`)
    await page.getByRole('button', { name: storage.check.start, exact: true }).click()
    await assertTurnsNothing(page, 'storage')
  })

  it('does so neither on the page of a share nor in a guest’s own list', async (t) => {
    const { owner, album, device } = await world.keeper()
    const source = sourceOfBytes(Buffer.from('a'))
    const { assetId } = await owner.upload({ source, album, device, name: HOSTILE, type: HOSTILE })
    const share = await owner.createShare([assetId])
    const { page } = await browser.open(t, { url: share.url })
    await assertTurnsNothing(page, 'share')

    const link = await owner.createLink({ title: HOSTILE, message: HOSTILE })
    const { page: guest } = await browser.open(t, { url: link.url })
    const file = { name: HOSTILE, mimeType: 'text/plain', buffer: Buffer.from('a') }
    await guest.locator('input[type=file]').first().setInputFiles([file])
    await assertTurnsNothing(guest, 'guest')
  })
})
