/** Registration, sign-in, recovery and the account page, in a real browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { logIn, registerOwner } from '@blindkeep/client/account'
import { newRecoveryWords } from '@blindkeep/client/recovery'
import type { Page } from 'playwright-core'
import { createAuthenticator } from '../../../testing/authenticator.ts'
import { quickEnvironment } from '../../../testing/people.ts'
import { openMailReceiver, openReceiver } from '../../../testing/receivers.ts'
import { account as german } from '../src/text/de/account.ts'
import { problems as germanProblems } from '../src/text/de/problems.ts'
import { account as text } from '../src/text/en/account.ts'
import { owner as shellText } from '../src/text/en/owner.ts'
import { problems } from '../src/text/en/problems.ts'
import { button, field, heading, inside, section, signIn, storedRows } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { startWorld, useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })

const PASSWORD = 'violet anchor gravel tuba'

async function fillRegistration(page: Page, email: string): Promise<void> {
  await field(page, text.email).fill(email)
  await field(page, text.password).fill(PASSWORD)
  await field(page, text.repeatPassword).fill(PASSWORD)
}

/** From the page with the recovery words to the inbox. Resolves with the 24 words. */
async function keepWords(page: Page): Promise<readonly string[]> {
  const list = page.getByRole('list', { name: text.words.list })
  await list.waitFor()
  const words = await list.locator('li > :last-child').allTextContents()
  await button(page, text.words.next).click()
  for (const label of await page.locator('form label').allTextContents())
    await field(page, label).fill(words[Number(label.replace(/\D/g, '')) - 1] ?? '')
  await button(page, text.words.finish).click()
  await inside(page).waitFor()
  return words
}

describe('an account', () => {
  it('is created only after the recovery words are confirmed, and needs its password again after a reload', async (t) => {
    const { page } = await browser.open(t, { url: `${world.url}/#/register` })
    await heading(page, text.register.title).waitFor()
    await button(page, text.register.submit).click()
    await page.getByText(text.strength.short(12)).waitFor()
    await assertAccessible(page)
    await fillRegistration(page, 'olga@example.org')
    await page.getByText(text.strength.good, { exact: true }).waitFor()
    await button(page, text.register.submit).click()

    await page.getByRole('list', { name: text.words.list }).waitFor()
    await assertAccessible(page)
    // Another page now would lose the words, so the address changes and the page does not.
    await page.evaluate(() => {
      location.hash = '#/links'
    })
    await button(page, text.words.next).click()
    await button(page, text.words.finish).click()
    const wrong = page.locator('[aria-invalid=true]')
    await wrong.nth(2).waitFor()
    assert.equal(await wrong.count(), 3)
    await assertAccessible(page)
    await button(page, text.words.again).click()
    assert.equal((await keepWords(page)).length, 24)
    assert.match(page.url(), /#\/inbox$/)
    await page.getByText(shellText.live, { exact: true }).waitFor()
    assert.deepEqual(await storedRows(page), [])

    await page.goto(`${world.url}/#/account`)
    await heading(page, text.page.title).waitFor()
    await page.reload()
    await page.getByText(text.signIn.reasons.reloaded).waitFor()
    await signIn(page, { email: 'olga@example.org', password: 'something else' })
    await page.getByText(problems.codes['error.auth.invalid_credentials']).waitFor()
    await assertAccessible(page)
    await signIn(page, { email: ' Olga@example.org ', password: PASSWORD })
    // The page remembers where the owner was, and the earlier session ended when that page closed.
    await heading(page, 'olga@example.org').waitFor()
    await page.locator('h1:focus').waitFor()
    await page.getByText(text.sessions.none).waitFor()
    await assertAccessible(page)
  })

  it('is created once, with its recovery words, when answers to the registration are lost', async (t) => {
    const { page } = await browser.open(t, { url: `${world.url}/#/register`, passwordsInNode: true })
    let losses = 2
    await page.route('**/v1/auth/register', async (route) => {
      if (losses-- <= 0) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await fillRegistration(page, 'ida@example.org')
    await button(page, text.register.submit).click()
    await page.getByText(text.register.lost).waitFor()
    await button(page, text.register.submit).click()
    assert.equal((await keepWords(page)).length, 24)
  })

  it('is created from an invite: a code, a pasted link, a link that is opened, and one of which a program has rewritten the #', async (t) => {
    const closed = await startWorld({ env: { REGISTRATION: 'invite' } })
    t.after(() => closed.stop())
    const link = /first invite\s+(\S+)/.exec(closed.server.log())?.[1] ?? ''
    const { code = '' } = /invite=(?<code>.+)$/.exec(link)?.groups ?? {}
    const { page } = await browser.open(t, { url: `${closed.url}/#/register`, passwordsInNode: true })
    await fillRegistration(page, 'eva@example.org')
    await button(page, text.register.submit).click()
    await field(page, text.register.invite).fill('not-an-invite')
    await assertAccessible(page)
    await button(page, text.register.submit).click()
    await page.getByText(text.register.inviteWrong).waitFor()

    // Its code leaves the address at once.
    await page.goto('about:blank')
    await page.goto(link)
    await page.waitForURL(`${closed.url}/#/register`)
    assert.equal(await field(page, text.register.invite).inputValue(), code)
    const exposed = page.getByRole('heading', { name: text.register.exposed.title })
    assert.equal(await exposed.count(), 0)

    await page.goto(link.replace('#', '%23'))
    await page.waitForURL(`${closed.url}/#/register`)
    await exposed.waitFor()
    await assertAccessible(page)
    assert.equal(await field(page, text.register.invite).inputValue(), code)
    await field(page, text.register.invite).fill('another')
    await exposed.waitFor({ state: 'hidden' })
    await field(page, text.register.invite).fill(link.replace('#', '%2523'))
    await exposed.waitFor()
    // A link that is pasted into the field is its code.
    await field(page, text.register.invite).fill(link)
    await exposed.waitFor({ state: 'hidden' })
    await fillRegistration(page, 'eva@example.org')
    await button(page, text.register.submit).click()
    await keepWords(page)
    // An opened link sends the code that its field shows. This one is used up.
    await page.goto('about:blank')
    await page.goto(link.replace('#', '%23'))
    await fillRegistration(page, 'ada@example.org')
    const sent = page.waitForRequest('**/v1/auth/register')
    await button(page, text.register.submit).click()
    assert.equal((await sent).postDataJSON().invite, code)
    await page.getByText(text.register.inviteWrong).waitFor()
    // Only in the line that printed the link.
    assert.equal(closed.server.log().split(code).length, 2)
  })

  it('is recovered with its words alone, in German and on a phone', async (t) => {
    const recovery = newRecoveryWords()
    const email = 'cleo@example.org'
    const person = { baseUrl: world.url, email, password: 'soon forgotten for good', environment: quickEnvironment }
    await registerOwner({ ...person, recovery })
    const words = await recovery.confirm()
    const { page } = await browser.open(t, {
      ...{ url: `${world.url}/`, device: 'phone', locale: 'de-DE', passwordsInNode: true },
    })
    await page.getByRole('link', { name: german.signIn.recover }).click()
    await field(page, german.recover.words).fill(words.with(4, 'Quark').join('\n'))
    await field(page, german.email).fill(email)
    await field(page, german.newPassword).fill(PASSWORD)
    await field(page, german.repeatPassword).fill(PASSWORD)
    await button(page, german.recover.submit).click()
    await page.getByText(germanProblems.unknownWord(5, 'quark')).waitFor()
    await assertAccessible(page)
    const list = words.map((word, index) => `${index + 1}. ${word.toUpperCase()}`).join('\n')
    const heading = `${german.words.fileTitle}\n${german.secret.of(email)}\n${german.secret.at(page.url())}`
    await field(page, german.recover.words).fill(`${heading}\n\n${list}\n`)
    // A second step whose code was accepted, and the answer lost: the same challenge takes no other code.
    const challenge = { mfa_token: 'over', expires_at: new Date(Date.now() + 60_000).toISOString() }
    await page.route('**/v1/auth/recover/finish', (route) => route.fulfill({ status: 202, json: challenge }), {
      times: 1,
    })
    await button(page, german.recover.submit).click()
    await field(page, german.secondStep.code).fill('000000')
    await button(page, german.secondStep.submit).click()
    await page.getByText(german.recover.left).waitFor()
    await page.getByRole('link', { name: german.signIn.recover }).click()
    await field(page, german.recover.words).fill(list)
    await field(page, german.email).fill(email)
    await field(page, german.newPassword).fill(PASSWORD)
    await field(page, german.repeatPassword).fill(PASSWORD)
    // The pages of a proxy that waited no longer.
    await page.route('**/v1/auth/recover/finish', (route) => route.fulfill({ status: 504 }), { times: 2 })
    await button(page, german.recover.submit).click()
    await page.getByText(german.changePassword.unsure).waitFor()
    await button(page, german.recover.submit).click()
    await page.getByText(german.recover.done).waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await assertAccessible(page)
    assert.ok((await logIn({ ...person, password: PASSWORD })).owner)
  })
})

describe('the form that changes the password', () => {
  it('begins with the present password, covers nothing of a narrow page, and ends the other sign-ins', async (t) => {
    const { owner, email, password } = await world.person()
    const { owner: other } = await logIn({ baseUrl: world.url, email, password, environment: quickEnvironment })
    await other?.nameThisClient('blindkeep on desk')
    const { page } = await browser.open(t, { url: `${world.url}/#/account`, signedInAs: owner, passwordsInNode: true })
    const sessions = section(page, text.sessions.title)
    const ended = sessions.getByRole('listitem').filter({ hasText: 'blindkeep on desk' })
    await ended.waitFor()
    await page.setViewportSize({ width: 320, height: 320 })
    await button(page, text.changePassword.open).click()
    await page.locator(':focus').and(field(page, text.page.presentPassword)).waitFor()
    const submit = button(page, text.changePassword.submit)
    const end = await field(page, text.repeatPassword).boundingBox()
    const top = await submit.boundingBox()
    assert.ok(end !== null && top !== null && top.y > end.y + end.height, `${top?.y} is not below ${end?.y}`)
    await field(page, text.page.presentPassword).fill(password)
    await field(page, text.newPassword).fill(PASSWORD)
    await field(page, text.repeatPassword).fill(PASSWORD)
    await submit.click()
    await page.getByText(text.changePassword.done).first().waitFor()
    await sessions.getByText(text.sessions.none).waitFor()
    assert.equal(await ended.count(), 0)
  })
})

describe('messages about new files', () => {
  it('go to a mail address once its code was entered, and to a webhook whose secret is shown until it is saved', async (t) => {
    const mail = await openMailReceiver()
    const receiver = await openReceiver()
    const notifying = await startWorld({
      env: {
        NOTIFY: 'webhook,email',
        NOTIFY_NETWORKS: '127.0.0.1',
        SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        MAIL_FROM: 'keep@keep.example',
      },
    })
    t.after(async () => {
      await notifying.stop()
      await receiver.close()
      await mail.close()
    })
    const { owner } = await notifying.person()
    const { page } = await browser.open(t, { url: `${notifying.url}/#/account`, signedInAs: owner })
    const messages = section(page, text.notify.title)
    await messages.getByRole('button', { name: text.notify.open }).click()
    await assertAccessible(page)
    await messages.getByLabel(text.notify.kind, { exact: true }).selectOption('webhook')
    const address = messages.getByLabel(text.notify.kinds.webhook.address, { exact: true })
    await address.fill('hooks.example')
    await messages.getByRole('button', { name: text.notify.submit, exact: true }).click()
    await messages.getByText(problems.codes['error.channel.invalid']).waitFor()
    await address.fill(`http://127.0.0.1:${receiver.port}/hook`)
    await messages.getByRole('button', { name: text.notify.submit, exact: true }).click()
    const secret = messages.getByText(/^whsec_/)
    const given = await secret.innerText()
    await assertAccessible(page)
    assert.equal(await messages.getByRole('button', { name: text.notify.open }).count(), 0, 'another would replace it')
    await inside(page).getByRole('link', { name: shellText.pages.links }).click()
    await secret.waitFor({ state: 'detached' })
    await page.getByRole('banner').getByRole('button', { name: shellText.signOut }).click()
    await page.getByText(shellText.busy.unsavedWebhook).waitFor()
    await button(page, shellText.busy.stay).last().click()
    await inside(page).getByRole('link', { name: shellText.pages.account }).click()
    assert.equal(await secret.innerText(), given, 'another page does not lose it')
    await messages.getByText(`127.0.0.1:${receiver.port}/hook`, { exact: true }).waitFor()
    await messages.getByRole('button', { name: text.notify.secretDone }).click()
    await messages.getByText(/^whsec_/).waitFor({ state: 'detached' })
    receiver.answer = 500
    await messages.getByRole('button', { name: text.notify.test }).click()
    await page.getByText(text.notify.testFailed(text.notify.faults.receiver_failed)).waitFor()
    receiver.answer = 204
    await messages.getByRole('button', { name: text.notify.test }).click()
    await page.getByText(text.notify.tested).waitFor()

    await messages.getByRole('button', { name: text.notify.open }).click()
    await messages.getByLabel(text.notify.kind, { exact: true }).selectOption('email')
    await messages.getByLabel(text.notify.kinds.email.address, { exact: true }).fill('olga@example.org')
    await messages.getByRole('button', { name: text.notify.submit, exact: true }).click()
    const code = messages.getByLabel(text.notify.code, { exact: true })
    await code.waitFor()
    await assertAccessible(page)
    const sent = /The code for this address is (\d{8})\./.exec(mail.received[0]?.text ?? '')?.[1] ?? ''
    await code.fill(sent === '00000000' ? '00000001' : '00000000')
    await messages.getByRole('button', { name: text.notify.confirm, exact: true }).click()
    await messages.getByText(problems.codes['error.channel.code_wrong']).waitFor()
    await code.fill(sent)
    await messages.getByRole('button', { name: text.notify.confirm, exact: true }).click()
    await page.getByText(text.notify.confirmed).waitFor()
    const mailRow = messages.getByRole('listitem').filter({ hasText: 'olga@example.org' })
    await mailRow.getByRole('button', { name: text.notify.remove }).click()
    await mailRow.waitFor({ state: 'detached' })
    // The row that is left.
    await page
      .locator(':focus')
      .and(messages.getByRole('button', { name: text.notify.remove }))
      .waitFor()
    await assertAccessible(page)
  })
})

describe('the second step', () => {
  it('is turned on with an authenticator, and sign-in asks for a code until it is right', async (t) => {
    const { owner, email, password } = await world.person()
    const { page } = await browser.open(t, { url: `${world.url}/#/account`, signedInAs: owner, passwordsInNode: true })
    const card = section(page, text.factor.title)
    await card.getByRole('button', { name: text.factor.enroll }).click()
    await field(page, text.page.presentPassword).fill('not it')
    await button(page, text.factor.next).click()
    await page.getByText(problems.password).waitFor()
    await field(page, text.page.presentPassword).fill(password)
    await button(page, text.factor.next).click()
    await page.getByRole('img', { name: text.factor.qr }).waitFor()
    await assertAccessible(page)
    const secret = (await card.locator('.secret').innerText()).replaceAll(' ', '')
    const authenticator = createAuthenticator(`otpauth://totp/x?algorithm=SHA1&digits=6&period=30&secret=${secret}`)
    await field(page, text.factor.code).fill(authenticator.next())
    await page.route('**/v1/auth/totp/confirm', (route) => route.fulfill({ status: 504 }), { times: 1 })
    await button(page, text.factor.confirm).click()
    await page.getByText(text.factor.unsure).waitFor()
    await button(page, text.factor.confirm).click()
    const codes = page.getByRole('list', { name: text.factor.backupList })
    await codes.waitFor()
    assert.equal(await codes.locator('li').count(), 10)
    await assertAccessible(page)
    const given = await codes.innerText()
    await inside(page).getByRole('link', { name: shellText.pages.links }).click()
    await codes.waitFor({ state: 'detached' })
    await page.getByRole('banner').getByRole('button', { name: shellText.signOut }).click()
    await page.getByText(shellText.busy.unsavedCodes).waitFor()
    await button(page, shellText.busy.stay).last().click()
    await inside(page).getByRole('link', { name: shellText.pages.account }).click()
    await codes.waitFor()
    assert.equal(await codes.innerText(), given, 'another page does not lose them')
    await button(page, text.factor.backupDone).click()
    await card.getByText(text.factor.on, { exact: true }).waitFor()

    await card.getByRole('button', { name: text.factor.renew }).click()
    await field(page, text.page.presentPassword).fill(password)
    const backupCodeIn = (list: string) => /[0-9A-Z]{5}-[0-9A-Z]{5}/.exec(list)?.[0] ?? ''
    await field(page, text.factor.anyCode).fill(backupCodeIn(given))
    await assertAccessible(page)
    await button(page, text.factor.renew).click()
    await codes.waitFor()
    const renewed = await codes.innerText()
    assert.notEqual(renewed, given)
    await button(page, text.factor.backupDone).click()
    await page.getByText(text.factor.codesSaved).first().waitFor()

    const leaving = page.getByRole('dialog')
    await button(page, text.leave.open).click()
    await leaving.getByLabel(text.leave.confirm(email), { exact: true }).fill(email)
    await leaving.getByLabel(text.page.presentPassword, { exact: true }).fill(password)
    await leaving.getByLabel(text.factor.anyCode, { exact: true }).fill('000000')
    await assertAccessible(page)
    await leaving.getByRole('button', { name: text.leave.submit }).click()
    await leaving.getByText(problems.codes['error.auth.totp_invalid_code']).waitFor()
    await page.keyboard.press('Escape')
    const next = `${password}, and more`
    await button(page, text.changePassword.open).click()
    await field(page, text.page.presentPassword).fill(password)
    await field(page, text.newPassword).fill(next)
    await field(page, text.repeatPassword).fill(next)
    await field(page, text.factor.anyCode).fill(backupCodeIn(renewed))
    await assertAccessible(page)
    await button(page, text.changePassword.submit).click()
    await page.getByText(text.changePassword.done).first().waitFor()

    await page.getByRole('banner').getByRole('button', { name: shellText.signOut }).click()
    await page.getByText(text.signIn.reasons.signed_out).waitFor()
    await signIn(page, { email, password: next })
    await heading(page, text.secondStep.title).waitFor()
    await field(page, text.secondStep.code).fill('000000')
    await button(page, text.secondStep.submit).click()
    await page.getByText(problems.codes['error.auth.totp_invalid_code']).waitFor()
    await assertAccessible(page)
    await field(page, text.secondStep.code).fill(authenticator.next())
    await button(page, text.secondStep.submit).click()
    await heading(page, email).waitFor()
  })
})
