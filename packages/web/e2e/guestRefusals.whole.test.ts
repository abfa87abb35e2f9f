/** Stories of links that refuse files: the page says why, and what the guest can do. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Owner } from '@blindkeep/client/owner'
import { changeBody, isRequest } from '../../../testing/maliciousServer.ts'
import { sendFile } from '../../../testing/people.ts'
import { guest as text } from '../src/text/en/guest.ts'
import { assertAccessible } from './axe.ts'
import { BARE } from './bare.ts'
import { useBrowser } from './browser.ts'
import { allArrived, button, choose, rowOf, sendChosen, someFile } from './guestPage.ts'
import { useWorldBehindProxy } from './world.ts'

const DROPS = /^\/d\//
const browser = useBrowser()
let owner: Owner
const { world, proxy } = useWorldBehindProxy(async (started) => {
  owner = await started.owner()
})

const problem = (status: number, code: string) => () => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: Buffer.from(JSON.stringify({ type: `/problems/${code}`, status, code })),
})

const sentSince = (from: number) => proxy.seen.slice(from).filter(({ method }) => method !== 'GET' && method !== 'HEAD')

describe('a passphrase', () => {
  it('is asked for, can be shown, and is asked for again in place when it is wrong', async (t) => {
    const { url } = await world.link({ owner, passphrase: 'lake' })
    const { page } = await browser.open(t, { url, device: 'phone', passwordsInNode: true })
    await page.getByText('asks for a passphrase').waitFor()
    const files = [someFile('one', 10), someFile('two', 10)]
    await choose(page, files)
    await sendChosen(page)
    await page.getByText('This link asks for a passphrase. Enter it here.').waitFor()
    const field = page.getByRole('textbox', { name: 'Passphrase', exact: true })
    await field.fill('sea')
    await button(page, 'Show the passphrase').click()
    assert.equal(await field.getAttribute('type'), 'text')
    await assertAccessible(page)
    await field.press('Enter')
    await page.getByText('The server rejected this passphrase.').waitFor()
    await rowOf(page, 'two').getByText('Waiting for the passphrase').waitFor()
    await assertAccessible(page)
    page.once('dialog', (dialog) => dialog.accept())
    await page.reload()
    await page.getByRole('heading', { name: '2 files were not finished' }).waitFor()
    await choose(page, [...files, someFile('three', 10)])
    await rowOf(page, 'one').getByText('Waiting for the passphrase').waitFor()
    await button(page, /^Send \d/).waitFor()
    // One field for the files that wait and for those that are not sent yet.
    assert.equal(await field.count(), 1)
    await assertAccessible(page)
    // The field has the focus again.
    await page.keyboard.type('La-KE')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /not sent yet$/ }).waitFor()
    await sendChosen(page)
    await allArrived(page)
  })
})

describe('a link of which a program has rewritten the #', () => {
  it('takes its key out of the path before it asks, sends, and says who has seen it', async (t) => {
    const { url } = await world.link({ owner })
    const key = url.split('#')[1] ?? assert.fail('the link has no key')
    const seen = 'Servers have seen the key of this link'
    const from = proxy.seen.length
    const withKey = () =>
      proxy.seen.slice(from).filter(({ path, headers }) => JSON.stringify({ path, headers }).includes(key)).length
    const rewritten = `${url.replace('#', '%23')}).`
    const { page } = await browser.open(t, { url: rewritten, device: 'phone' })
    const isOpen = page.getByText('in total through this link').or(page.getByText('files of any size')).first()
    await page.getByRole('heading', { name: seen }).waitFor()
    await isOpen.waitFor()
    assert.ok(page.url().startsWith(url), page.url())
    await assertAccessible(page)
    await choose(page, someFile('one', 10))
    await sendChosen(page)
    await allArrived(page)
    assert.equal(withKey(), 1, 'only the first request has the key')
    await page.reload()
    await page.getByRole('heading', { name: seen }).waitFor()
    await page.goto('about:blank')
    await page.goto(url)
    await page.getByText('Only the person who gave you this link can open them.').waitFor()
    assert.equal(await page.getByRole('heading', { name: seen }).count(), 0)

    await page.goto(`${url.replace('#', '%2523')}&amp;utm_source=mail`)
    await page.getByRole('heading', { name: seen }).waitFor()
    await isOpen.waitFor()
    assert.ok(page.url().startsWith(url), page.url())
    assert.equal(withKey(), 2)
  })
})

describe('a link that accepts one file', () => {
  it('says so before and after, takes the last one that was chosen, and is closed for the next visit', async (t) => {
    const { url } = await world.link({ owner, singleUse: true })
    const { page } = await browser.open(t, { url, device: 'phone' })
    await page.getByText('accepts one file only').waitFor()
    await button(page, 'Choose a file').waitFor()
    await assertAccessible(page)
    const input = page.getByLabel('Choose files', { exact: true }).and(page.locator('input'))
    assert.equal(await input.getAttribute('multiple'), null)
    await choose(page, someFile('first', 10))
    await choose(page, someFile('second', 10))
    await rowOf(page, 'second').waitFor()
    assert.equal(await rowOf(page, 'first').count(), 0)
    await sendChosen(page)
    await allArrived(page)
    await page.getByText('this was all. You can close this page.').waitFor()
    assert.equal(await button(page, /^(Choose|Add)/).count(), 0)
    await assertAccessible(page)
    await page.reload()
    await page.getByRole('heading', { name: 'This link accepts no more files' }).waitFor()
    await rowOf(page, 'second').getByText('Arrived on').waitFor()
    await page.getByText('It was for one file, which this browser has sent.').waitFor()
    await button(page, 'Download the receipt').waitFor()
    await assertAccessible(page)
    const elsewhere = await browser.open(t, { url })
    await elsewhere.page.getByRole('heading', { name: 'This link accepts no files' }).waitFor()
    await elsewhere.page.getByText('Have you sent files from another browser or device?').waitFor()
    await assertAccessible(elsewhere.page)
  })
})

describe('a server that takes nothing for now', () => {
  it('has other words for a full disk, an error, a lost network and a full account, and none is green', async (t) => {
    const { url } = await world.link({ owner })
    const { page } = await browser.open(t, { url })
    const creation = isRequest('POST', DROPS)
    const card = page.getByRole('region', { name: 'All files' })
    proxy.tamper({ matches: creation, answer: problem(500, 'error.storage.full') })
    await choose(page, someFile('patient', 10))
    await sendChosen(page)
    await card.getByText(/^Since .* the server has had no space for your files/).waitFor()
    await rowOf(page, 'patient').getByText('The server has no space for it now.').waitFor()
    await assertAccessible(page)
    proxy.tamper({ matches: creation, answer: problem(500, 'error.storage.unavailable') })
    await button(page, 'Try again now').click()
    await card.getByText(/^Since .* the server has not been able to store anything/).waitFor()
    await rowOf(page, 'patient').getByText('The server cannot store anything now.').waitFor()
    proxy.tamper({ matches: creation, instead: 502 })
    await button(page, 'Try again now').click()
    await card.getByText(/^Since .* the server has answered with errors/).waitFor()
    proxy.tamper({ matches: creation, lose: 'request' })
    await button(page, 'Try again now').click()
    await card.getByText(/^No connection since /).waitFor()
    proxy.tamper()
    await button(page, 'Try again now').click()
    await allArrived(page)
    proxy.tamper({ matches: creation, answer: problem(403, 'error.quota.exceeded') })
    await choose(page, someFile('refused', 10))
    await sendChosen(page)
    await page.getByRole('heading', { name: '1 file arrived, 1 was not sent' }).waitFor()
    await rowOf(page, 'refused')
      .getByText(/^The storage of the person who gets the files is full/)
      .waitFor()
    await assertAccessible(page)
  })
})

describe('a link that accepts nothing', () => {
  it('says why', async (t) => {
    const full = await world.link({ owner, caps: { maxFileCount: 1 } })
    await sendFile(full.url, new Uint8Array(1))
    const revoked = await world.link({ owner })
    await owner.revokeLink(revoked.opaqueId)
    const { url } = await world.link({ owner })
    const cases = [
      [full.url, 'This link is full'],
      [revoked.url, 'This link accepts no files'],
      [url.slice(0, url.indexOf('#')), 'The end of the link is missing'],
      [url.slice(0, -5), 'This link is not complete'],
    ] as const
    const { page } = await browser.open(t, { url: revoked.url, device: 'phone', locale: 'de-DE' })
    await page.getByRole('heading', { name: 'Dieser Link nimmt keine Dateien an' }).waitFor()
    await page.getByLabel('Sprache').selectOption('en')
    for (const [address, heading] of cases) {
      // So that another # alone is a new visit, too.
      await page.goto(new URL(BARE, address).href)
      await page.goto(address)
      await page.getByRole('heading', { name: heading }).waitFor()
      if (address === full.url) await page.getByText(text.standing.ownerHears).waitFor()
      await assertAccessible(page)
    }
  })

  it('is tried again after a temporary fault, keeps the files that arrived before it was revoked, and says that the others were not sent', async (t) => {
    const caps = { maxTotalBytes: 'unlimited', maxFileCount: 'unlimited' } as const
    const { url, opaqueId } = await world.link({ owner, caps })
    proxy.tamper({ matches: isRequest('GET', DROPS), lose: 'request' })
    const { page } = await browser.open(t, { url })
    await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor()
    await assertAccessible(page)
    proxy.tamper()
    await button(page, 'Try again now').click()
    await page.getByText('files of any size').waitFor()

    await choose(page, someFile('first', 10))
    await sendChosen(page)
    await allArrived(page)
    await choose(page, [someFile('second', 10), someFile('third', 10)])
    await owner.revokeLink(opaqueId)
    await sendChosen(page)
    await page.getByRole('heading', { name: 'This link accepts no more files' }).waitFor()
    await page.getByText('Files that have arrived stay there.').waitFor()
    await rowOf(page, 'first').getByText('Arrived', { exact: true }).waitFor()
    for (const name of ['second', 'third'])
      await rowOf(page, name).getByText('The link accepts no more files. Ask for a new one.').waitFor()
    await assertAccessible(page)
  })

  it('says at its end until when it was open, in a page that is open since before', async (t) => {
    const { url } = await world.link({ owner })
    const endsSoon = changeBody((body) => {
      Object.assign(body, { expires_at: new Date(Date.now() + 1_000).toISOString() })
    })
    proxy.tamper(
      { matches: isRequest('GET', DROPS), answer: endsSoon, times: 1 },
      { matches: isRequest('GET', DROPS), answer: problem(404, 'error.drop.link_not_found') },
    )
    const { page } = await browser.open(t, { url })
    await page.getByRole('heading', { name: 'This link accepts no files' }).waitFor()
    await page.getByText(/^It was open until .*\. Ask the person who gave it to you for a new one\.$/).waitFor()
    assert.equal(await button(page, 'Choose files').count(), 0)
    await assertAccessible(page)
  })
})

describe('a malicious server', () => {
  it('that swaps the key of a link is detected and receives nothing', async (t) => {
    const [{ url }, other] = [await world.link({ owner }), await world.link({ owner })]
    const answer = await (await fetch(other.url.replace('/u/', '/d/').split('#')[0] ?? '')).json()
    proxy.tamper({
      matches: isRequest('GET', DROPS),
      answer: changeBody((body) => Object.assign(body, { drop_pubkey: answer.drop_pubkey })),
    })
    const from = proxy.seen.length
    const { page } = await browser.open(t, { url })
    await page.getByRole('heading', { name: 'The server’s key does not match this link' }).waitFor()
    await page.getByText('Do not send anything here').waitFor()
    assert.equal(await button(page, 'Choose files').count(), 0)
    await assertAccessible(page)
    assert.deepEqual(sentSince(from), [])
  })
})

describe('a browser', () => {
  it('that cannot encrypt says so before the guest chooses files', async (t) => {
    const { url } = await world.link({ owner })
    const { page, context } = await browser.open(t, { url: new URL(BARE, url).href })
    await context.addInitScript(() => Object.defineProperty(globalThis, 'isSecureContext', { value: false }))
    await page.goto(url)
    await page.getByRole('heading', { name: 'This page cannot encrypt files here' }).waitFor()
    await assertAccessible(page)
    assert.equal(await button(page, 'Choose files').count(), 0)
  })

  it('that stores nothing still sends, and says what is lost', async (t) => {
    const { url } = await world.link({ owner })
    const { page, context } = await browser.open(t, { url: new URL(BARE, url).href })
    await context.route(/worker-.*\.js$/, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: `delete IDBFactory.prototype.open;${await answer.text()}` })
    })
    await page.goto(url)
    await choose(page, someFile('private', 10))
    await page.getByText('This browser stores nothing, perhaps because this is a private window.').waitFor()
    await sendChosen(page)
    await allArrived(page)
  })
})
