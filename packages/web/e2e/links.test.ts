/** The owner's links in a real browser: create, pass on, use and revoke. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { normalPassphrase, openLink, send } from '@blindkeep/client/guest'
import { nodeEnvironment } from '@blindkeep/client/node'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import { sendFile } from '../../../testing/people.ts'
import { account } from '../src/text/en/account.ts'
import { links as text } from '../src/text/en/links.ts'
import { owner as shellText } from '../src/text/en/owner.ts'
import { assertAccessible } from './axe.ts'
import { BARE } from './bare.ts'
import { clipboardOf, useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ env: { CHUNK_BYTES_SUGGESTED: '65536' } })
const linksUrl = () => `${world.url}/#/links`
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const card = (page: Page, label: string) => page.locator('.link-card').filter({ hasText: label })

/** Starts an upload and stops in the middle of the file. */
async function beginSending(url: string): Promise<void> {
  const source = sourceOfBytes(Uint8Array.from(randomBytes(300_000)))
  const state = await (await openLink(url)).prepare({ source, name: 'half.bin' })
  const stop = new AbortController()
  const sending = send({
    state,
    source,
    signal: stop.signal,
    onProgress: ({ bytes }) => bytes > 0 && stop.abort(new Error('stopped')),
  })
  await assert.rejects(sending, /stopped/)
}

describe('the links of an owner', () => {
  it('start with an explained first link, which is created, copied and shows its use without a reload', async (t) => {
    const owner = await world.owner()
    const visit = await browser.open(t, { url: linksUrl(), signedInAs: owner })
    const { page } = visit
    await page.getByRole('heading', { name: text.emptyTitle }).waitFor()
    await assertAccessible(page)
    await button(page, text.createFirst).click()
    await page.getByLabel(text.form.label, { exact: true }).fill('Photos of the wedding')
    const question = page.getByText(shellText.closing.typed)
    await page.keyboard.press('Escape')
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    // Without a click between them, the browser takes the third one for a wish to leave.
    await page.keyboard.press('Escape')
    await question.waitFor()
    await page.locator(':focus').and(button(page, shellText.closing.stay)).waitFor()
    await assertAccessible(page)
    await button(page, shellText.closing.stay).click()
    await page.getByLabel(text.form.guestTitle).fill('Your photos, please')
    await page.getByLabel(text.form.guestMessage).fill('Until Sunday')
    await page.getByLabel(text.form.guestFrom).fill('Bo')
    await page.getByText(text.form.limits).click()
    await page.getByLabel(text.form.maxFiles).fill('0')
    await page.getByText(text.form.limits).click()
    await button(page, text.form.submit).click()
    await page.getByText(text.form.faults.number).waitFor()
    await page.locator(':focus').and(page.getByLabel(text.form.maxFiles)).waitFor()
    await assertAccessible(page)
    await page.getByLabel(text.form.maxFiles).fill('4')
    await button(page, text.form.suggest).click()
    const passphrase = await page.getByLabel(text.form.passphrase).inputValue()
    await button(page, text.form.submit).click()

    await page.getByText(text.ready.created).waitFor()
    await page.getByText(text.ready.passphraseOnce).waitFor()
    await page.getByRole('img', { name: text.ready.qr }).waitFor()
    await button(page, text.ready.copy).click()
    await button(page, text.ready.copied).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByText(shellText.closing.secret).waitFor()
    await button(page, shellText.closing.stay).click()
    const url = await clipboardOf(visit)
    assert.equal(await page.locator('.link-shown').textContent(), url)
    await button(page, text.ready.done).click()

    const source = sourceOfBytes(Uint8Array.from(randomBytes(5000)))
    const guest = await openLink(url, nodeEnvironment)
    assert.deepEqual([guest.title, guest.message, guest.from], ['Your photos, please', 'Until Sunday', 'Bo'])
    await assert.rejects(guest.prepare({ source }), /passphrase/)
    await send({ state: await guest.prepare({ source, passphrase: normalPassphrase(passphrase) }), source })
    const mine = card(page, 'Photos of the wedding')
    await mine.getByText(text.filesOf(1, 4)).waitFor()
    await mine.getByText('Your photos, please').waitFor()
    await mine.getByText(/^1 file arrived, \d/).waitFor()
    await mine.getByRole('link', { name: text.pending(1) }).waitFor()
    await assertAccessible(page)

    await button(page, 'Show link Photos of the wedding').click()
    assert.equal(await page.locator('.link-shown').textContent(), url)
    await page.keyboard.press('Escape')
    await page.locator(':focus').and(button(page, 'Show link Photos of the wedding')).waitFor()
  })

  it('are created in one step from a preset', async (t) => {
    const owner = await world.owner()
    const { page } = await browser.open(t, { url: linksUrl(), signedInAs: owner, device: 'phone', colorScheme: 'dark' })
    for (const preset of [text.form.presets.one, text.form.presets.standing]) {
      await button(page, /New link|first link/).click()
      await page.getByRole('radio', { name: preset.name }).check()
      const isFirst = preset === text.form.presets.one
      const from = page.getByLabel(text.form.guestFrom)
      // The newest link has the owner's usual name.
      assert.equal(await from.inputValue(), isFirst ? '' : 'Bo')
      if (isFirst) await from.fill('Bo')
      await assertAccessible(page)
      await button(page, text.form.submit).click()
      await button(page, text.ready.done).click()
    }
    const [one, standing] = await owner.listLinks()
    assert.deepEqual([one?.singleUse, one?.caps.maxFileCount], [true, undefined])
    assert.ok(Math.abs(Date.parse(one?.expiresAt ?? '') - Date.now() - 7 * 86_400_000) < 60_000)
    assert.deepEqual([standing?.singleUse, standing?.expiresAt], [false, undefined])
    await page.getByText(text.neverExpires).waitFor()
    await sendFile(one?.url ?? '', Uint8Array.from(randomBytes(10)))
    await page.getByText(text.pastTitle(1)).click()
    await page.getByText(text.states.spent, { exact: true }).waitFor()
    // Where it ends, the bar of a phone covers nothing.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await assertAccessible(page)
  })

  it('show the newest before the rest has come', async (t) => {
    const owner = await world.owner()
    for (let count = 0; count <= 50; count += 1) await owner.createLink({ label: `Number ${count}.` })
    const { page } = await browser.open(t, { url: `${world.url}${BARE}`, signedInAs: owner })
    const { promise: asked, resolve: goOn } = Promise.withResolvers<void>()
    await page.route(/\/links\?.*after=/, async (route) => {
      await asked
      await route.continue()
    })
    await page.goto(linksUrl())
    await card(page, 'Number 50.').waitFor()
    assert.equal(await card(page, 'Number 0.').count(), 0)
    goOn()
    await card(page, 'Number 0.').waitFor()
    assert.equal(await page.locator('.link-card').count(), 51)
  })

  it('are revoked after a question that says what happens, and then accept nothing', async (t) => {
    const owner = await world.owner()
    const { page } = await browser.open(t, { url: linksUrl(), signedInAs: owner })
    await page.getByRole('heading', { name: text.emptyTitle }).waitFor()
    // A link that was created on another device appears without a reload.
    const { url } = await owner.createLink({ label: 'Tax \u202Exat', caps: { maxTotalBytes: 1e6 } })
    const mine = card(page, 'Tax')
    await mine.waitFor()
    await beginSending(url)
    await mine
      .locator('.under-way')
      .getByText(/^1 upload in progress/)
      .waitFor()
    await button(page, /^Change Tax/).click()
    await page.getByLabel(text.form.maxTotal, { exact: true }).fill('0.1')
    await button(page, text.editing.submit).click()
    await page.getByText(text.form.faults.below_use).waitFor()
    await assertAccessible(page)
    await page.getByLabel(text.form.label, { exact: true }).fill('Taxes of 2026')
    await page.getByLabel(text.form.maxTotal, { exact: true }).fill('7')
    await page.getByLabel(text.form.maxFiles).fill('1')
    await page.getByLabel(text.form.expiry).selectOption(text.form.expiries.day)
    await button(page, text.editing.submit).click()
    await page.getByText(text.editing.done('Taxes of 2026')).waitFor()
    await mine.getByText(text.states.full).waitFor()
    const [changed] = await owner.listLinks()
    assert.deepEqual([changed?.caps.maxFileCount, changed?.openSessions], [1, 1])

    await owner.createLink({ label: 'Other' })
    await button(page, /^Revoke .*Other/).click()
    await page.locator(':focus').and(button(page, account.page.cancel)).waitFor()
    await button(page, text.revoking.submit).click()
    // The row that takes its place goes on from here, without the mouse.
    await page
      .locator(':focus')
      .and(button(page, /^Revoke Tax/))
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(text.revoking.open(1)).waitFor()
    await page.locator(':focus').and(button(page, account.page.cancel)).waitFor()
    await assertAccessible(page)
    await button(page, text.revoking.submit).click()
    await page.getByText(text.noneLive).waitFor()
    await page.locator('h1:focus').waitFor()
    await page.getByText(text.pastTitle(2)).click()
    await page.getByText(text.states.revoked, { exact: true }).first().waitFor()
    await assert.rejects(openLink(url), /takes no files/)
    await assertAccessible(page)
    assert.equal(await button(page, /^(Show link|Change|Revoke) Tax/).count(), 0)
    await mine.getByText(text.refused.why.revoked(text.refused.times(1))).waitFor()
    const mark = page.getByRole('link', { name: shellText.linksRefused(1) })
    await mark.waitFor()
    await assertAccessible(page)
    await button(page, text.refused.dismiss.of('Taxes of 2026')).press('Enter')
    await mine.getByText(text.refused.title).waitFor({ state: 'detached' })
    await mark.waitFor({ state: 'detached' })
    await page.locator('h1:focus').waitFor()

    await button(page, /^Duplicate Tax/).click()
    await page.locator('dialog input:focus').waitFor()
    await assertAccessible(page)
    await button(page, text.form.submit).click()
    await page.getByText(text.ready.created).waitFor()
    const copy = (await owner.listLinks()).at(-1)
    assert.deepEqual([copy?.state, copy?.label, copy?.caps.maxFileCount], ['live', 'Taxes of 2026', 1])
  })

  it('whose words do not open say so before words are replaced or left behind', async (t) => {
    const owner = await world.owner()
    await owner.createLink({ label: 'Scans', title: 'Your scans' })
    const { page } = await browser.open(t, { url: `${world.url}${BARE}`, signedInAs: owner })
    await page.route('**/v1/drops/links*', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      for (const link of json.links) link.sealed_title = randomBytes(1_100).toString('base64')
      await route.fulfill({ response, json })
    })
    await page.goto(linksUrl())
    await card(page, 'Scans').getByText(text.titleFault).waitFor()
    await button(page, 'Change Scans').click()
    await page.getByText(text.editing.unread).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await button(page, 'Duplicate Scans').click()
    await page.getByText(text.form.likeUnread).waitFor()
  })

  it('have buttons that fit a narrow phone in German, with whole words', async (t) => {
    const owner = await world.owner()
    await owner.createLink({ label: 'Fotos' })
    const { page } = await browser.open(t, { url: linksUrl(), signedInAs: owner, device: 'phone', locale: 'de-DE' })
    await page.setViewportSize({ width: 360, height: 780 })
    await card(page, 'Fotos')
      .getByRole('button', { name: /^Weitere Aktionen/ })
      .click()
    assert.deepEqual(await page.evaluate(brokenWords), [])
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  })
})

/** Words of buttons that stand on more than one line. Runs in the page. */
function brokenWords(): string[] {
  const broken: string[] = []
  for (const label of document.querySelectorAll('.button span:not(.visually-hidden)'))
    for (const text of label.childNodes)
      for (const { 0: word, index } of (text.nodeValue ?? '').matchAll(/\p{L}+/gu)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (range.getClientRects().length > 1) broken.push(word)
      }
  return broken
}
