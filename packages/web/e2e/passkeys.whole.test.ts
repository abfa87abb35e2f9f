/** Passkeys in a real browser with its virtual authenticator. They need a name, so the pages are at localhost. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { logIn } from '@blindkeep/client/account'
import { sourceOfBytes } from '@blindkeep/client/source'
import { createAuthenticator } from '../../../testing/authenticator.ts'
import { quickEnvironment } from '../../../testing/people.ts'
import { account as german } from '../src/text/de/account.ts'
import { account as text } from '../src/text/en/account.ts'
import { owner as shellText } from '../src/text/en/owner.ts'
import { problems } from '../src/text/en/problems.ts'
import { button, field, heading, inside, section, signIn } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser, type Visit } from './browser.ts'
import { addAuthenticator } from './virtualAuthenticator.ts'
import { type Person, useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()
const atLocalhost = () => world.url.replace('127.0.0.1', 'localhost')

const open = (t: TestContext, { owner }: Person) =>
  browser.open(t, { url: `${atLocalhost()}/#/account`, signedInAs: owner, passwordsInNode: true })

const passkeys = ({ page }: Pick<Visit, 'page'>) => section(page, text.passkeys.title)

/** From the account page to the step in which the browser asks its authenticator. */
async function begin(visit: Pick<Visit, 'page'>, { password }: Person, code?: string): Promise<void> {
  const part = passkeys(visit)
  await part.getByRole('button', { name: text.passkeys.open }).click()
  await part.getByLabel(text.page.presentPassword, { exact: true }).fill(password)
  if (code !== undefined) await part.getByLabel(text.factor.anyCode, { exact: true }).fill(code)
  await part.getByRole('button', { name: text.passkeys.next }).click()
  await part.getByRole('button', { name: text.passkeys.make }).waitFor()
}

const make = (visit: Pick<Visit, 'page'>) => passkeys(visit).getByRole('button', { name: text.passkeys.make }).click()

async function signOut({ page }: Pick<Visit, 'page'>): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: shellText.signOut }).click()
  await heading(page, text.signIn.title).waitFor()
}

describe('a passkey', () => {
  it('is added, signs in without address and password, opens a file, and is removed', async (t) => {
    const person = await world.person()
    const { albumId: album } = await person.owner.createAlbum({ name: 'Letters' })
    const device = await person.owner.addDevice(undefined, { tie: false })
    await person.owner.upload({ source: sourceOfBytes(new Uint8Array(900)), album, device, name: 'to-nora.txt' })
    const visit = await open(t, person)
    const { page } = visit
    const authenticator = await addAuthenticator(visit)
    await begin(visit, person)
    await assertAccessible(page)
    await field(page, text.rename.name).fill('My phone')
    await make(visit)
    await page.getByText(text.passkeys.added).waitFor()
    assert.equal(await authenticator.count(), 1)
    const row = passkeys(visit).getByRole('listitem').filter({ hasText: 'My phone' })
    await row.getByText(text.passkeys.neverUsed).waitFor()
    await assertAccessible(page)

    await signOut(visit)
    await button(page, text.signIn.passkey).click()
    await inside(page).waitFor()
    await page.goto(`${atLocalhost()}/#/albums/${album}`)
    await page.getByText('to-nora.txt').first().waitFor()

    await page.goto(`${atLocalhost()}/#/account`)
    await heading(page, person.email).waitFor()
    await row.getByText(text.passkeys.neverUsed).waitFor({ state: 'detached' })
    await row.getByRole('button', { name: text.passkeys.remove }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: text.passkeys.remove }).click()
    await passkeys(visit).getByText(text.passkeys.none).waitFor()
    await signOut(visit)
    await assertAccessible(page)
  })

  it('that was removed elsewhere is refused in words, and the password still signs in', async (t) => {
    const person = await world.person()
    const visit = await open(t, person)
    const { page } = visit
    await addAuthenticator(visit)
    await begin(visit, person)
    await make(visit)
    await page.getByText(text.passkeys.added).waitFor()
    await signOut(visit)
    const { email, password } = person
    const { owner } = await logIn({ baseUrl: world.url, email, password, environment: quickEnvironment })
    const [listed] = (await owner?.passkeys()) ?? []
    assert.ok(listed)
    await owner?.removePasskey(listed.passkeyId)
    await button(page, text.signIn.passkey).click()
    await page.getByText(problems.account.passkey_refused).waitFor()
    await assertAccessible(page)
    await signIn(page, { email, password })
    await inside(page).waitFor()
  })

  it('is neither made nor used when the authenticator has no extension, which the page says, or does not verify the person', async (t) => {
    const person = await world.person()
    const { email, password } = person
    const { owner } = await logIn({ baseUrl: world.url, email, password, environment: quickEnvironment })
    assert.ok(owner)
    const visit = await open(t, person)
    const { page } = visit
    const withoutPrf = await addAuthenticator(visit, { hasPrf: false })
    await begin(visit, person)
    await make(visit)
    await page.getByText(problems.authenticator.prf_missing).waitFor()
    await assertAccessible(page)
    await passkeys(visit).getByRole('button', { name: text.page.cancel }).click()
    assert.deepEqual(await owner.passkeys(), [])
    await withoutPrf.remove()

    const refusing = await addAuthenticator(visit, { isUserVerified: false })
    await begin(visit, person)
    await make(visit)
    await page.getByText(problems.authenticator.cancelled).waitFor()
    assert.equal(await refusing.count(), 0)
    // After several failures an authenticator is locked, as a real one is.
    await refusing.remove()
    const authenticator = await addAuthenticator(visit)
    await make(visit)
    await page.getByText(text.passkeys.added).waitFor()
    await signOut(visit)
    await authenticator.setUserVerified(false)
    await button(page, text.signIn.passkey).click()
    await page.getByText(problems.authenticator.cancelled).waitFor()
    assert.equal(await inside(page).count(), 0)
  })

  it('is made once on an authenticator, and takes a code where the second step is on, and then replaces it', async (t) => {
    const person = await world.person()
    const { owner, password } = person
    const visit = await open(t, person)
    const { page } = visit
    const first = await addAuthenticator(visit)
    await passkeys(visit).getByRole('button', { name: text.passkeys.open }).waitFor()
    // Turned on elsewhere: this page asks for no code yet.
    const codes = createAuthenticator(await owner.enrollSecondFactor({ password }))
    await owner.confirmSecondFactor(codes.next())
    await begin(visit, person)
    await make(visit)
    await page.getByText(text.passkeys.codeNeeded).waitFor()
    await passkeys(visit).getByRole('button', { name: text.page.cancel }).click()
    await first.remove()
    await page.reload()
    const authenticator = await addAuthenticator(visit)
    await begin(visit, person, '000000')
    await make(visit)
    await page.getByText(text.passkeys.codeAgain).waitFor()
    await page.getByText(problems.codes['error.auth.totp_invalid_code']).waitFor()
    await assertAccessible(page)
    await field(page, text.factor.anyCode).fill(codes.next())
    await button(page, text.rename.save).click()
    await page.getByText(text.passkeys.added).waitFor()
    await begin(visit, person, 'unused')
    await make(visit)
    await page.getByText(problems.authenticator.present_already).waitFor()
    assert.equal(await authenticator.count(), 1)
    await signOut(visit)
    await button(page, text.signIn.passkey).click()
    await inside(page).waitFor()
  })

  it('is not offered at an IP address, and the page says why, in German and on a small phone', async (t) => {
    const person = await world.person()
    const { page } = await browser.open(t, { url: `${world.url}/`, locale: 'de-DE', device: 'phone' })
    await page.setViewportSize({ width: 320, height: 640 })
    await page.getByText(german.passkeys.obstacles.ip_address).waitFor()
    assert.equal(await button(page, german.signIn.passkey).count(), 0)
    await assertAccessible(page)
    const { page: inner } = await browser.open(t, {
      ...{ url: `${world.url}/#/account`, signedInAs: person.owner },
      ...{ locale: 'de-DE', device: 'phone' },
    })
    await inner.getByText(german.passkeys.obstacles.ip_address).waitFor()
    assert.equal(await inner.getByRole('button', { name: german.passkeys.open }).count(), 0)
  })
})
