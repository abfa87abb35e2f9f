/** An inbox with many files: what is shown at once, what is asked for, and whether all can be reached. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { assertAccessible } from './axe.ts'
import { BARE } from './bare.ts'
import { useBrowser } from './browser.ts'
import { dropRubbish } from './rubbish.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

/** More than two pages of the client, and more than five steps of the list. */
const OLD_FILES = 320
const row = (page: Page, name: string) => page.locator('.drop').filter({ hasText: name })

/** Files that no client can open, which are quick to send, and then two that can be opened. */
async function beginWithMany() {
  const { owner } = await world.keeper()
  const { url } = await owner.createLink({ label: 'Anyone' })
  await mapConcurrently(Array.from({ length: OLD_FILES }), 8, () => dropRubbish(url, 50))
  const send = (name: string) => sendFile(url, new Uint8Array(randomBytes(10)), { name })
  for (const name of ['one.bin', 'two.bin']) await send(name)
  return { owner, send }
}

/** The requests of the page for lists and for names. */
function watchRequests(page: Page): { readonly lists: string[]; readonly names: string[] } {
  const requests: { lists: string[]; names: string[] } = { lists: [], names: [] }
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/v1/drops' && request.method() === 'GET') requests.lists.push(search)
    if (pathname.endsWith('/content')) requests.names.push(pathname)
  })
  return requests
}

describe('an inbox with many files', () => {
  it('shows the newest first, reads the names in view only, follows what lands and leaves, and keeps what was not in view', async (t) => {
    const { owner, send } = await beginWithMany()
    const { page } = await browser.open(t, { url: `${world.url}${BARE}`, signedInAs: owner })
    const requests = watchRequests(page)
    await page.goto(`${world.url}/#/inbox`)
    await row(page, 'two.bin').waitFor()
    await page.getByText(new RegExp(`^${OLD_FILES + 2} files · about `)).waitFor()
    await page.locator('.drop').filter({ hasText: text.faults.sealed }).first().waitFor()
    assert.ok(requests.names.length < OLD_FILES / 4, `${requests.names.length} names were read`)
    await assertAccessible(page)

    const [lists, focused] = [requests.lists.length, row(page, 'two.bin').getByRole('checkbox')]
    await focused.focus()
    await send('three.bin')
    await row(page, 'three.bin').waitFor()
    assert.equal(await page.locator('.drop').first().getByText('three.bin', { exact: true }).count(), 1)
    assert.equal(requests.lists.length, lists + 1)
    assert.match(requests.lists.at(-1) ?? '', /after=/)
    const [discarded] = (await owner.inbox()).filter(({ file }) => file?.name === 'one.bin')
    await owner.discardDrop(discarded?.dropId ?? '')
    await row(page, 'one.bin').waitFor({ state: 'detached' })
    assert.equal(requests.lists.length, lists + 1)
    await page.locator(':focus').and(focused).waitFor()

    // Also files whose names were not in view.
    await page.getByLabel(text.chooseAll, { exact: true }).check()
    await page.getByRole('button', { name: text.keep, exact: true }).click()
    await page.getByRole('dialog').getByText(text.reading).waitFor()
    await page.getByText(text.keeping.skipped(OLD_FILES)).waitFor()
    await page.getByRole('button', { name: text.keeping.submit(2) }).click()
    await page.getByText(text.keeping.done(2, 'Album')).waitFor()
    await page.getByText(new RegExp(`^${OLD_FILES} files · `)).waitFor()

    // The keyboard reaches every file.
    const rows = page.locator('.drop')
    for (let drawn = await rows.count(); drawn < OLD_FILES; drawn = await rows.count()) {
      await rows.last().getByRole('button').last().focus()
      await rows.nth(drawn).waitFor()
      await page.keyboard.press('Tab')
      await rows.nth(drawn).locator(':focus').waitFor()
    }
  })
})
