/** What pages say of a server that will move, has moved, or moves while they are open. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { changeBody, isRequest } from '../../../testing/maliciousServer.ts'
import type { Tampering } from '../../../testing/tamperingProxy.ts'
import { account as accountText } from '../src/text/en/account.ts'
import { guest as guestText } from '../src/text/en/guest.ts'
import { moving as text } from '../src/text/en/moving.ts'
import { problems } from '../src/text/en/problems.ts'
import { button, field, signIn } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { BARE } from './bare.ts'
import { useBrowser } from './browser.ts'
import { useWorldBehindProxy } from './world.ts'

const browser = useBrowser()
const { world, proxy } = useWorldBehindProxy(async () => undefined)

const DAY_MS = 86_400_000
const at = (ms: number) => new Date(Date.now() + ms).toISOString()
const saying = (members: Record<string, unknown>): Tampering => ({
  matches: isRequest('GET', /\/server-info$/),
  answer: changeBody((body) => Object.assign(body, members)),
})
const from = (server_id: string, ms: number) => ({ moved_from: { server_id, moved_at: at(ms) } })
const announced = { moves_to: { server_id: 'https://drop.example', on: '2099-12-01T00:00:00.000Z' } }
const body = Buffer.from(
  JSON.stringify({ type: '/problems/error.server.moved', title: 'Moved', status: 410, code: 'error.server.moved' }),
)
const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' }
/** What a server answers to guests at an address that it has left. Its pages are still there. */
const moved: Tampering = {
  matches: ({ path }) => path.startsWith('/d/'),
  answer: (message) => ({ ...message, status: 410, headers, body }),
}
/** What a server answers to a session that has ended. */
const ended: Tampering = {
  matches: ({ path }) => path.startsWith('/v1/'),
  answer: (message) => ({
    ...message,
    status: 401,
    headers,
    body: Buffer.from('{"code":"error.auth.session_expired"}'),
  }),
}
const heard = (page: Page, words: string) => page.getByText(words, { exact: true })

describe('an announced move', () => {
  it('is said to the owner, who can try the password at once', async (t) => {
    const text64 = Buffer.alloc(32, 1).toString('base64')
    const ids = { passkey_id: '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e80', credential_id: text64 }
    const passkey = { ...ids, sealed_passkey_key: text64, created_at: at(0) }
    const withPasskey = changeBody((answer) => Object.assign(answer, { passkeys: [passkey] }))
    proxy.tamper(saying(announced), { matches: isRequest('GET', /\/passkeys$/), answer: withPasskey })
    const { owner, password } = await world.person()
    const { page } = await browser.open(t, {
      ...{ url: `${world.url}/#/links`, signedInAs: owner, passwordsInNode: true },
    })
    const banner = page.getByRole('region', { name: text.announced.title('drop.example', '1 Dec 2099') })
    await banner.waitFor()
    await heard(page, text.announced.passkeys(1)).waitFor()
    assert.equal(await page.locator('a[href*="drop.example"]').count(), 0)
    await banner.getByRole('button', { name: text.announced.try }).press('Enter')
    await assertAccessible(page)
    await page.keyboard.type('not this one')
    await page.keyboard.press('Enter')
    await heard(page, problems.password).waitFor()
    await field(page, accountText.page.presentPassword).fill(password)
    await page.keyboard.press('Enter')
    await heard(page, text.announced.right).waitFor()
    assert.equal(await heard(page, text.announced.passkeys(1)).count(), 0)
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'SECTION')
    await assertAccessible(page)
    assert.deepEqual(proxy.seen.filter(isRequest('POST', /\/login$/)), [])
  })
})

describe('the first visit after a move', () => {
  it('is named where a page asks for secrets and the server has another name, and no secret is asked for', async (t) => {
    proxy.tamper(saying({ server_id: 'https://drop.example' }))
    const words = problems.address(new URL(world.url).origin, 'https://drop.example')
    const { page } = await browser.open(t, { url: `${world.url}${BARE}` })
    for (const path of ['', '#/register', '#/recover']) {
      await page.goto(`${world.url}/${path}`)
      await page.reload()
      await heard(page, words).waitFor()
      assert.equal(await page.locator('input, a[href*="drop.example"]').count(), 0)
      await assertAccessible(page)
    }
  })

  it('says nothing of a next move without an origin, and is named in place of the end of a session in a page that was open', async (t) => {
    const owner = await world.owner()
    const sign_in = { ...announced.moves_to, server_id: 'https://drop.example/sign-in' }
    proxy.tamper(saying({ moves_to: sign_in, ...from('https://keep.example', 60_000) }))
    const { page } = await browser.open(t, { url: `${world.url}/#/links`, signedInAs: owner })
    await heard(page, text.look.what).waitFor()
    assert.equal(await page.getByText('drop.example').count(), 0)
    proxy.tamper(saying({ server_id: 'https://drop.example' }), ended)
    await page.reload()
    await heard(page, problems.address(new URL(world.url).origin, 'https://drop.example')).waitFor()
  })

  it('names the former address at the sign-in, and asks once to look through keys and sign-ins', async (t) => {
    const { email, password } = await world.person()
    const moved = from('https://keep.example', 60_000)
    proxy.tamper(saying(moved))
    const { page } = await browser.open(t, { url: `${world.url}/#/links`, passwordsInNode: true })
    await page.getByText(/^Until .* this server was keep\.example\./).waitFor()
    await heard(page, text.former.passkeys).waitFor()
    await assertAccessible(page)
    await page.getByLabel(accountText.stay).check()
    await signIn(page, { email, password })
    await heard(page, text.look.what).waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: text.look.open }).click()
    await page.getByRole('region', { name: accountText.devices.title }).waitFor()
    await button(page, text.look.done).press('Enter')
    await heard(page, text.look.what).waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'MAIN')
    proxy.tamper(saying({ ...moved, ...announced }))
    await page.reload()
    await heard(page, text.announced.what).waitFor()
    assert.equal(await heard(page, text.look.what).count(), 0)
  })

  it('asks nothing of an owner who came later', async (t) => {
    const { email, password } = await world.person()
    proxy.tamper(saying({ ...from('https://keep.example', -80 * DAY_MS), ...announced }))
    const { page } = await browser.open(t, { url: `${world.url}/#/links`, passwordsInNode: true })
    await page.getByText(/^Until .* this server was keep\.example\./).waitFor()
    await signIn(page, { email, password })
    await heard(page, text.announced.what).waitFor()
    assert.equal(await heard(page, text.look.what).count(), 0)
  })
})

describe('a guest whose server moves while the page is open', () => {
  it('reads of it, keeps the receipts until then, and finds the link at the new address', async (t) => {
    const { url } = await world.link()
    const { page } = await browser.open(t, { url })
    await button(page, guestText.choose.files).waitFor()
    const sent = { name: '0.txt', mimeType: 'text/plain', buffer: Buffer.from('a') }
    await page.locator('input[type=file]').first().setInputFiles(sent)
    await button(page, guestText.send(1)).click()
    await page.getByText(guestText.receipt.save).first().waitFor({ state: 'attached' })
    const files = [1, 2].map((one) => ({ name: `${one}.txt`, mimeType: 'text/plain', buffer: Buffer.from('a') }))
    await page.locator('input[type=file]').first().setInputFiles(files)
    const send = page.getByRole('button', { name: guestText.send(2), exact: true })
    await send.waitFor()
    proxy.tamper(moved)
    await send.click()
    await page.getByRole('heading', { name: guestText.faults.server_moved.title }).waitFor()
    const failed = page.locator('.row-status').getByText(guestText.failures.server_moved)
    await failed.nth(1).waitFor()
    assert.equal(await failed.count(), 2)
    await heard(page, guestText.receiptsFirst).waitFor()
    const receipt = page.getByText(guestText.receipt.save).first()
    await receipt.waitFor({ state: 'attached' })
    await assertAccessible(page)
    await page.reload()
    await page.getByRole('heading', { name: guestText.faults.server_moved.title }).waitFor()
    await receipt.waitFor({ state: 'attached' })
    proxy.tamper()
    await button(page, guestText.openAgain).click()
    // The button has another name once the page has read what it remembers.
    await button(page, guestText.choose.more).waitFor()
    await page.getByText(guestText.receipt.save).first().waitFor({ state: 'attached' })
    assert.equal(page.url(), url)
  })
})
