/** The guest's page with a server that says it has the files and proves it for none or some of them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { changeBody, isRequest } from '../../../../testing/maliciousServer.ts'
import { assertAccessible } from '../axe.ts'
import { useBrowser } from '../browser.ts'
import { allArrived, button, choose, rowOf, sendChosen, someFile } from '../guestPage.ts'
import { useWorldBehindProxy } from '../world.ts'

const browser = useBrowser()
const { world, proxy } = useWorldBehindProxy(async () => undefined)

const receiptOf = isRequest('GET', /^\/d\/[^/]+\/[^/]+\/receipt$/)
const forged = {
  matches: receiptOf,
  answer: changeBody((receipt) => Object.assign(receipt, { size: Number(receipt.size) + 1 })),
}
const withheld = { matches: receiptOf, instead: 422 }

async function assertNothingArrived(page: Page): Promise<void> {
  const text = await page.locator('main').innerText()
  assert.doesNotMatch(text, /\b(has|have) arrived|\d arrived|^Arrived/m)
  assert.equal(await page.title(), 'Blindkeep')
  assert.equal(await page.getByText('You can close this page').count(), 0)
}

describe('a server that says it has a file', () => {
  it('and gives a forged receipt has not got it: no part of the page says that it has arrived', async (t) => {
    const { url } = await world.link()
    proxy.tamper(forged)
    const { page } = await browser.open(t, { url })
    await choose(page, [someFile('one.bin', 10), someFile('two.bin', 10)])
    await sendChosen(page)
    await page.getByRole('heading', { name: '2 files sent without a checked receipt' }).waitFor()
    await page.getByText('For 2 files the server has given no valid receipt.').waitFor()
    await page
      .getByRole('alert')
      .getByText(/^Warning: 2 receipts from this server are not valid/)
      .waitFor()
    assert.equal(await button(page, /Download .*receipt/).count(), 0)
    await rowOf(page, 'one.bin').getByText('Sent', { exact: true }).waitFor()
    await page.getByText('2 files sent without a checked receipt.', { exact: true }).waitFor()
    await assertNothingArrived(page)
    await assertAccessible(page)

    await page.reload()
    await rowOf(page, 'two.bin')
      .getByText(/^Sent on /)
      .waitFor()
    await rowOf(page, 'two.bin').getByText('Warning').waitFor()
    await assertNothingArrived(page)
  })

  it('and gives no receipt has it once the receipt is there and checked', async (t) => {
    const { url } = await world.link()
    proxy.tamper(withheld)
    const { page } = await browser.open(t, { url })
    await choose(page, someFile('one.bin', 10))
    await sendChosen(page)
    await page.getByText('its receipt could not be downloaded').waitFor({ timeout: 90_000 })
    await page.getByRole('heading', { name: '1 file sent without a checked receipt' }).waitFor()
    await assertNothingArrived(page)
    proxy.tamper()
    await button(page, 'Get the receipt again').click()
    await allArrived(page)
    await rowOf(page, 'one.bin').getByText('Arrived', { exact: true }).waitFor()
  })
})
