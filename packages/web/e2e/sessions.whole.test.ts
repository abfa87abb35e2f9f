/** Sessions of browsers and their keys, in a real browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logIn } from '@blindkeep/client/account'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page, Request } from 'playwright-core'
import { quickEnvironment, sendFile } from '../../../testing/people.ts'
import { isolated } from '../src/common/names/isolated.ts'
import { account as text } from '../src/text/en/account.ts'
import { inbox } from '../src/text/en/inbox.ts'
import { owner as shellText } from '../src/text/en/owner.ts'
import { problems } from '../src/text/en/problems.ts'
import { button, field, heading, inside, section, signIn, storedRows } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { hasTitle, useBrowser } from './browser.ts'
import { startWorld, useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })

/** Asks until there is something. */
async function untilSome<Item>(ask: () => Promise<readonly Item[]>): Promise<readonly [Item, ...Item[]]> {
  for (;;) {
    const [first, ...more] = await ask()
    if (first !== undefined) return [first, ...more]
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** From the page of an album. The session and the upload are stored then. */
async function beginUpload(page: Page): Promise<void> {
  await page.route('**/v1/upload', (route) => route.abort())
  await page
    .locator('.add-files')
    .setInputFiles({ name: 'diary.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await page.getByText('diary.txt').waitFor()
  while ((await storedRows(page)).length < 2) await page.waitForTimeout(50)
}

describe('a session', () => {
  it('survives a reload if the owner chose that, in one tab at a time, until another device ends it', async (t) => {
    const { owner, email, password } = await world.person()
    const { page, context } = await browser.open(t, { url: `${world.url}/#/links`, passwordsInNode: true })
    await page.getByLabel(text.stay).check()
    await signIn(page, { email, password })
    await inside(page).waitFor()
    await page.reload()
    await inside(page).waitFor()

    const second = await context.newPage()
    await second.goto(`${world.url}/#/links`)
    await heading(second, shellText.elsewhere.title).waitFor()
    await assertAccessible(second)
    await button(second, shellText.elsewhere.use).click()
    await inside(second).waitFor()
    await heading(page, shellText.elsewhere.movedTitle).waitFor()
    await assertAccessible(page)
    await button(page, shellText.elsewhere.use).click()
    await inside(page).waitFor()
    await heading(second, shellText.elsewhere.movedTitle).waitFor()
    await second.close()

    for (const { sessionId, isCurrent } of await owner.sessions()) if (!isCurrent) await owner.endSession(sessionId)
    await page.getByText(text.signIn.reasons.ended).waitFor()
    assert.match(page.url(), /#\/links$/)
    await assertAccessible(page)
    await page.reload()
    await heading(page, text.signIn.title).waitFor()
  })

  it('continues with the newest tokens, whichever tab received them', async (t) => {
    const hasty = await startWorld({ env: { ACCESS_TOKEN_SECONDS: '3' } })
    t.after(() => hasty.stop())
    const { page, context } = await browser.open(t, { url: `${hasty.url}/#/links`, signedInAs: await hasty.owner() })
    const second = await context.newPage()
    const renewed = async (of: Page) => {
      const renewal = of.waitForResponse((answer) => answer.url().endsWith('/v1/auth/refresh') && answer.ok())
      // Each visit sends requests, until the token of the last answer has expired.
      for (let isOver = false; !isOver; ) {
        await of.goto(`${hasty.url}/#/storage`)
        await of.goto(`${hasty.url}/#/account`)
        await section(of, text.sessions.title).getByText(text.sessions.here).waitFor()
        isOver = await Promise.race([renewal.then(() => true), of.waitForTimeout(1_000).then(() => false)])
      }
    }
    await inside(page).waitFor()
    await renewed(page)
    for (const [to, from] of [
      [second, page],
      [page, second],
    ] as const) {
      if (to === second) await to.goto(`${hasty.url}/#/account`)
      await button(to, shellText.elsewhere.use).click()
      await heading(from, shellText.elsewhere.movedTitle).waitFor()
      await renewed(to)
    }
    await page.reload()
    await renewed(page)
  })

  it('leaves nothing in the browser that opens the account or names a file, even when tokens are renewed during sign-out, and notices later that the account has another id', async (t) => {
    const { owner, email, password } = await world.person()
    const { albumId } = await owner.createAlbum({ name: 'Diaries' })
    const { page } = await browser.open(t, { url: `${world.url}/#/albums/${albumId}`, passwordsInNode: true })
    await page.getByLabel(text.stay).check()
    await signIn(page, { email, password })
    await heading(page, 'Diaries').waitFor()
    await beginUpload(page)

    const expired = {
      status: 401,
      contentType: 'application/problem+json',
      body: '{"code":"error.auth.session_expired"}',
    }
    await page.route('**/v1/auth/logout', (route) => route.fulfill(expired), { times: 1 })
    await page.getByRole('banner').getByRole('button', { name: shellText.signOut }).click()
    await page.getByText(shellText.busy.unfinished).waitFor()
    await assertAccessible(page)
    const renewed = page.waitForResponse((answer) => answer.url().endsWith('/v1/auth/refresh') && answer.ok())
    await button(page, shellText.busy.leave).click()
    await renewed
    await page.getByText(text.signIn.reasons.signed_out).waitFor()
    assert.deepEqual(await storedRows(page), [])

    // A server that signs in to an account with another id is refused.
    await page.route('**/v1/auth/login', async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      await route.fulfill({ response: answer, json: { ...body, account_id: '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f' } })
    })
    await signIn(page, { email, password })
    await page.getByText(problems.account.account_id_differs).waitFor()
    assert.equal(await inside(page).count(), 0)
  })

  it('that the browser does not store ends when the owner leaves the page, also for a person who goes back to it', async (t) => {
    const { email, password } = await world.person()
    const { page } = await browser.open(t, { url: `${world.url}/#/account`, passwordsInNode: true })
    await signIn(page, { email, password })
    await heading(page, email).waitFor()
    const ended = page.waitForResponse((answer) => answer.url().endsWith('/v1/auth/logout') && answer.ok())
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
    await page.getByText(text.signIn.reasons.reloaded).waitFor()
    await ended
    assert.ok(!(await page.content()).includes(email))
  })

  it('shows changes as they happen, again after the connection was down, and of a suspended account that it can only read', async (t) => {
    const { owner, email } = await world.person()
    const { url } = await world.link({ owner })
    const { page } = await browser.open(t, { url: `${world.url}/#/account`, signedInAs: owner })
    const badge = page.getByRole('link', { name: /^Inbox/ })
    await page.getByText(shellText.live, { exact: true }).waitFor()
    await sendFile(url, new Uint8Array(10))
    await badge.getByText(shellText.inboxWaiting(1)).waitFor()
    await hasTitle(page, shellText.titleWithCount(1))
    const up = world.line.down()
    await page.getByText(shellText.connecting, { exact: true }).waitFor()
    up()
    await sendFile(url, new Uint8Array(10))
    await badge.getByText(shellText.inboxWaiting(2)).waitFor()
    await page.getByText(shellText.live, { exact: true }).waitFor()

    const { status, stderr } = await world.server.command(['account', 'suspend', email])
    assert.equal(status, 0, stderr)
    await page.reload()
    await page.getByText(shellText.suspended).waitFor()
    await assertAccessible(page)
  })

  it('ends when the owner deletes the account with the password and a typed confirmation, and nothing of it stays, also if the answer is lost or late', async (t) => {
    const { owner, email, password } = await world.person()
    const { albumId } = await owner.createAlbum({ name: 'Diaries' })
    const url = `${world.url}/#/albums/${albumId}`
    const { page } = await browser.open(t, { url, signedInAs: owner, passwordsInNode: true })
    await beginUpload(page)
    await page.goto(`${world.url}/#/account`)
    await button(page, text.leave.open).click()
    await field(page, text.page.presentPassword).fill(password)
    await button(page, text.leave.submit).click()
    await page.getByText(text.leave.confirmFault).waitFor()
    await assertAccessible(page)
    await field(page, text.leave.confirm(email)).fill(email)
    const isDeletion = (request: Request) => request.method() === 'DELETE' && request.url().endsWith('/v1/account')
    await page.route('**/v1/account', (route) => (isDeletion(route.request()) ? route.abort() : route.fallback()))
    await button(page, text.leave.submit).click()
    await page.getByText(text.leave.unsure).waitFor()

    await page.unroute('**/v1/account')
    const over = page.waitForResponse((answer) => answer.url().endsWith('/v1/auth/refresh') && answer.status() === 401)
    await page.route('**/v1/account', async (route) => {
      if (!isDeletion(route.request())) return route.fallback()
      const response = await route.fetch()
      await over
      await route.fulfill({ response })
    })
    await button(page, text.leave.submit).click()
    await page.getByText(text.signIn.reasons.deleted).waitFor()
    assert.deepEqual(await storedRows(page), [])
    await assert.rejects(owner.quota())
  })
})

describe('the signing key of a browser', () => {
  it('is created once, survives a sign-out, and is replaced after it is revoked, which signs the browser out', async (t) => {
    const { owner, email, password } = await world.person()
    await owner.createAlbum({ name: 'Family' })
    const { url } = await world.link({ owner })
    for (const name of ['one.bin', 'two.bin', 'three.bin']) await sendFile(url, new Uint8Array(10), { name })
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, signedInAs: owner, passwordsInNode: true })
    const devices = async () => (await owner.devices()).map(({ revokedAt }) => revokedAt === undefined)
    const keep = async (name: string) => {
      await page.goto(`${world.url}/#/inbox`)
      await button(page, name).click()
      await button(page, inbox.keepLong).click()
      await button(page, inbox.keeping.submit(1)).click()
      await page
        .getByText(inbox.keeping.doneOne(isolated(name), 'Family'))
        .first()
        .waitFor()
    }
    await keep('one.bin')
    assert.deepEqual(await devices(), [true])
    // As on a full disk.
    const mend = await page.evaluateHandle(() => {
      const { delete: works } = IDBObjectStore.prototype
      IDBObjectStore.prototype.delete = () => {
        throw new DOMException('the disk is full', 'UnknownError')
      }
      return () => {
        IDBObjectStore.prototype.delete = works
      }
    })
    await page.getByRole('banner').getByRole('button', { name: shellText.signOut }).click()
    await page.getByText(text.signIn.reasons.key_left).waitFor()
    assert.deepEqual(await storedRows(page), ['session'])
    await mend.evaluate((mendIt) => mendIt())
    await signIn(page, { email, password })
    await keep('two.bin')
    const other = (await logIn({ baseUrl: world.url, email, password, environment: quickEnvironment })).owner
    assert.ok(other)
    const [first, ...more] = await other.devices()
    assert.deepEqual([first?.revokedAt, more], [undefined, []])

    await page.goto(`${world.url}/#/account`)
    const keys = section(page, text.devices.title)
    await keys.getByText(text.devices.here).waitFor()
    await keys.getByRole('button', { name: text.devices.revoke }).click()
    const question = page.getByRole('dialog')
    await question.getByText(text.devices.ask.here).waitFor()
    await question.getByRole('button', { name: text.devices.revoke }).click()
    await page.getByText(text.signIn.reasons.key_revoked).waitFor()
    await assertAccessible(page)
    await signIn(page, { email, password })
    await inside(page).waitFor()
    await keep('three.bin')
    assert.deepEqual(
      (await other.devices()).map(({ revokedAt }) => revokedAt === undefined),
      [false, true],
    )
  })
})

describe('a browser that has seen more than the server says', () => {
  it('keeps a key revoked that the server lists as valid again, until it is revoked again', async (t) => {
    const { owner } = await world.person()
    const { deviceId } = await owner.addDevice(undefined, { tie: false })
    await owner.revokeDevice(deviceId)
    await owner.nameDevice((await owner.addDevice(undefined, { tie: false })).deviceId, 'Desk')
    const { page } = await browser.open(t, { url: `${world.url}/#/account`, signedInAs: owner })
    const keys = section(page, text.devices.title)
    await keys.getByText(text.devices.old(1)).waitFor()
    assert.equal(await keys.getByText(text.devices.deniedExplain).count(), 0)
    await page.route(/\/v1\/devices\?/, async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      const [lost, other] = body.devices
      delete lost.revoked_at
      // The lost laptop under the name of the desk.
      lost.sealed_name = other.sealed_name
      await route.fulfill({ response: answer, json: body })
    })
    await page.reload()
    await keys.getByText(text.devices.deniedExplain).waitFor()
    await keys.getByText(text.devices.denied, { exact: true }).waitFor()
    await keys.getByText(text.rename.fault).waitFor()
    assert.equal(await keys.getByText('Desk', { exact: true }).count(), 1)
    await assertAccessible(page)
    await page.unroute(/\/v1\/devices\?/)
    const denied = keys.getByRole('listitem').filter({ hasText: text.devices.denied })
    await denied.getByRole('button', { name: text.devices.revoke }).click()
    await page.getByRole('dialog').getByRole('button', { name: text.devices.revoke }).click()
    await page.getByText(text.devices.revoked).waitFor()
    await keys.getByText(text.devices.deniedExplain).waitFor({ state: 'detached' })
  })
})

describe('a browser whose key is revoked elsewhere', () => {
  it('is signed out, also when it stayed signed in, only ever read, and was tied at the second attempt', async (t) => {
    const { owner, email, password } = await world.person()
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, passwordsInNode: true })
    const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/sessions/current/device'))
    // The client itself sends a lost request once again.
    await page.route('**/v1/auth/sessions/current/device', (route) => route.abort(), { times: 2 })
    await page.getByLabel(text.stay).check()
    await signIn(page, { email, password })
    await inside(page).waitFor()
    await lost
    const [device] = await untilSome(() => owner.devices())
    await untilSome(async () => (await owner.sessions()).filter(({ deviceId }) => deviceId === device.deviceId))
    assert.equal((await owner.devices()).length, 1, 'the key of the first attempt')
    const [named] = await untilSome(async () => (await owner.sessions()).filter(({ name }) => name !== undefined))
    assert.match(named.name ?? '', /^Chrome on \w+$/)
    assert.equal((await owner.devices())[0]?.name, named.name)
    await page.reload()
    await inside(page).waitFor()
    await owner.revokeDevice(device.deviceId)
    await page.getByText(text.signIn.reasons.ended).waitFor()
    await page.reload()
    await heading(page, text.signIn.title).waitFor()
  })
})

describe('after a key was revoked', () => {
  it('the page ends the sign-ins that belong to no key, and lists what the key signed, all by keyboard', async (t) => {
    const { owner, email, password } = await world.person()
    const { albumId: album } = await owner.createAlbum({ name: 'Family' })
    const [lost, kept] = [
      await owner.addDevice(undefined, { tie: false }),
      await owner.addDevice(undefined, { tie: false }),
    ]
    const name = 'holiday.bin'
    const source = sourceOfBytes(new Uint8Array(100))
    const { assetId } = await owner.upload({ source, album, device: lost, name })
    await owner.upload({ source, album, device: kept, name: 'other.bin' })
    const { owner: elsewhere } = await logIn({ baseUrl: world.url, email, password, environment: quickEnvironment })
    assert.ok(elsewhere)
    const { page } = await browser.open(t, { url: `${world.url}/#/account`, signedInAs: owner })
    const keys = section(page, text.devices.title)
    const id = lost.deviceId.slice(-8)
    const row = keys.getByRole('listitem').filter({ hasText: id })
    await row.getByRole('button', { name: text.rename.button }).click()
    const rename = page.getByRole('dialog', { name: text.devices.rename(id) })
    await page.locator(':focus').and(rename.getByLabel(text.rename.name)).waitFor()
    await rename.getByLabel(text.rename.name).fill('The lost laptop')
    await assertAccessible(page)
    await rename.getByRole('button', { name: text.rename.save }).click()
    await row.getByText('The lost laptop', { exact: true }).waitFor()
    assert.equal((await elsewhere.devices())[0]?.name, 'The lost laptop')
    const revokeKey = row.getByRole('button', { name: text.devices.revoke })
    await revokeKey.focus()
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: text.devices.ask.title(id) })
    await page
      .locator(':focus')
      .and(question.getByRole('button', { name: text.page.cancel }))
      .waitFor()
    assert.equal(await question.getByText(text.devices.ask.here).count(), 0)
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await page.locator(':focus').and(revokeKey).waitFor()
    await page.keyboard.press('Enter')
    await question.getByRole('button', { name: text.devices.revoke }).focus()
    await page.keyboard.press('Enter')

    const after = page.getByRole('region', { name: text.devices.after(id) })
    await after.getByText(text.devices.untied.notice(1)).waitFor()
    await after.getByText(text.devices.lately.found(1)).waitFor()
    const file = after.getByRole('link', { name, exact: true })
    await file.waitFor()
    assert.equal(await after.getByRole('link').count(), 1)
    assert.match((await file.getAttribute('href')) ?? '', new RegExp(`/${album}/${assetId}$`))
    await assertAccessible(page)
    await page.locator('h3:focus').waitFor()
    await elsewhere.inbox()
    await after.getByRole('button', { name: text.devices.untied.end(1) }).focus()
    await page.keyboard.press('Enter')
    await page.getByText(text.devices.untied.ended(1)).first().waitFor()
    await after.getByText(text.devices.untied.notice(1)).waitFor({ state: 'detached' })
    await assert.rejects(elsewhere.inbox())
    await section(page, text.sessions.title).getByText(text.sessions.none).waitFor()
    await section(page, text.sessions.title).getByText(text.sessions.inUse).waitFor()
    await file.click()
    await heading(page, name).waitFor()
    // It can be shown again.
    await page.goto(`${world.url}/#/account`)
    await page.getByText(text.devices.old(1)).click()
    await keys.getByRole('button', { name: text.devices.lately.open }).click()
    await after.getByText(text.devices.lately.found(1)).waitFor()
  })
})
