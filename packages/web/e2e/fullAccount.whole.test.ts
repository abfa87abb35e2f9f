/** Stories of an owner without room for more: what guests and owner read, and how it goes on. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { isolated } from '../src/common/names/isolated.ts'
import { bin as binText } from '../src/text/en/bin.ts'
import { guest as guestText } from '../src/text/en/guest.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { allArrived, button, choose, rowOf, sendChosen, someFile } from './guestPage.ts'
import { useWorld } from './world.ts'

const PLACES = 3
const browser = useBrowser()
const world = useWorld({ env: { INBOX_FILES_MAX: String(PLACES), QUOTA_HARD_BYTES: '1000000' } })
const inboxUrl = () => `${world.url}/#/inbox`
const banner = (page: Page) => page.locator('.banner')

describe('a full inbox', () => {
  it('is reported to guests before they choose and to the owner, and takes files again when one is discarded', async (t) => {
    const { owner } = await world.keeper()
    const { url } = await owner.createLink()
    for (const name of ['first', 'second']) await sendFile(url, randomBytes(10), { name })
    const begun = (await browser.open(t, { url, device: 'phone' })).page
    await choose(begun, [someFile('third', 10), someFile('fourth', 10)])
    await sendChosen(begun)
    await begun.getByRole('heading', { name: '1 file arrived, 1 was not sent' }).waitFor()
    await begun.getByText(guestText.failures.inbox_full).first().waitFor()
    const late = (await browser.open(t, { url, device: 'phone' })).page
    await late.getByRole('heading', { name: guestText.standing.inbox_full.title }).waitFor()
    await late.getByLabel(guestText.choose.label).waitFor({ state: 'detached' })
    await assertAccessible(late)

    const mine = (await browser.open(t, { url: inboxUrl(), signedInAs: owner })).page
    await banner(mine).getByText(text.room.full).waitFor()
    await banner(mine).getByText(text.room.waiting.full(PLACES)).waitFor()
    await banner(mine).getByText(text.room.inbox_full).waitFor()
    await assertAccessible(mine)
    await button(mine, text.discardOf('first')).click()
    await button(mine, text.discarding.submit(1)).click()
    await banner(mine).getByText(text.room.full).waitFor({ state: 'detached' })
    await mine.locator('.toast').hover()
    await mine.setViewportSize({ width: 360, height: 420 })
    assert.equal(await mine.evaluate(isEndCovered), false)

    await button(late, guestText.standing.lookAgain).click()
    await button(late, guestText.choose.files).waitFor()
    await button(begun, guestText.actions.retry).first().click()
    await allArrived(begun)
  })
})

describe('a full storage', () => {
  it('is reported to a guest whose file has no room any more, to the next one at once, and to the owner', async (t) => {
    const { owner } = await world.keeper()
    const { url } = await owner.createLink()
    const begun = (await browser.open(t, { url, device: 'phone' })).page
    await choose(begun, someFile('mine', 700_000))
    await sendFile(url, randomBytes(995_000), { name: 'large' })
    await sendChosen(begun)
    await rowOf(begun, 'mine').getByText(guestText.failures.owner_full).waitFor()
    const late = (await browser.open(t, { url, device: 'phone' })).page
    await late.getByRole('heading', { name: guestText.standing.no_room.title }).waitFor()
    await assertAccessible(late)

    const mine = (await browser.open(t, { url: inboxUrl(), signedInAs: owner })).page
    await banner(mine).getByText(text.room.quota_exceeded).waitFor()
    await assertAccessible(mine)
    await button(mine, text.discardOf('large')).click()
    await button(mine, text.discarding.submit(1)).click()
    // It uses space until it has left the bin, too.
    await mine.getByText(text.discarding.doneOne(isolated('large'))).waitFor()
    await mine.goto(`${world.url}/#/bin`)
    await button(mine, binText.empty.button).click()
    await button(mine, binText.end.confirm).click()
    await mine.getByRole('heading', { name: binText.none.title }).waitFor()
    await button(begun, guestText.actions.retry).first().click()
    await allArrived(begun)
  })
})

/** Whether the last file of the list cannot be scrolled out from under the message. Runs in the page. */
function isEndCovered(): boolean {
  scrollTo(0, document.documentElement.scrollHeight)
  const [last, message] = [[...document.querySelectorAll('.drop')].at(-1), document.querySelector('.toast')]
  return Number(last?.getBoundingClientRect().bottom) > Number(message?.getBoundingClientRect().top)
}
