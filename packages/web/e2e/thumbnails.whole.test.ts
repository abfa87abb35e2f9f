/** Thumbnails of files that were not opened, in a real browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { type Keeper, sendFile } from '../../../testing/people.ts'
import { isolated } from '../src/common/names/isolated.ts'
import { account as accountText } from '../src/text/en/account.ts'
import { albums as albumText } from '../src/text/en/albums.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { filesOfKinds, fixture, watchDecoders } from './documents.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function uploadAll({ owner, album, device }: Keeper): Promise<void> {
  for (const [name, content] of Object.entries(await filesOfKinds()))
    await owner.upload({ source: sourceOfBytes(content), album, device, name })
}

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
    await page.getByText(albumText.thumbnails.done(4)).waitFor()
    await page.getByText(albumText.thumbnails.none(2)).waitFor()
    assert.equal(await page.locator('.tile img').count(), 4)
    assert.equal(await button(page, albumText.thumbnails.make).count(), 0, 'the others are not offered again')

    const { url } = await keeper.owner.createLink()
    const keep = async (name: string) => {
      await sendFile(url, await fixture('photo.heic'), { name })
      await page.goto(`${world.url}/#/inbox`)
      await button(page, name).click()
      await button(page, text.keepLong).click()
      await button(page, text.keeping.submit(1)).click()
      await page.getByText(text.keeping.doneOne(isolated(name), 'Album')).waitFor()
    }
    await keep('before.heic')
    await page.goto(`${world.url}/#/account`)
    await button(page, accountText.thumbnails.start).click()
    await page.getByText(accountText.thumbnails.isOn, { exact: true }).waitFor()
    await assertAccessible(page)
    await keep('after.heic')
    await page.goto(`${world.url}/#/albums/${keeper.album}`)
    await tile('after.heic').locator('img').waitFor()
    assert.equal(await tile('before.heic').locator('img').count(), 0, 'what was kept before is drawn on a click only')
  })
})
