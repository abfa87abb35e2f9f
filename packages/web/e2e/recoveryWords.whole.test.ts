/** New recovery words while signed in, in a real browser. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerOwner } from '@blindkeep/client/account'
import { newRecoveryWords } from '@blindkeep/client/recovery'
import type { Page } from 'playwright-core'
import { quickEnvironment } from '../../../testing/people.ts'
import { account as text } from '../src/text/en/account.ts'
import { owner as shellText } from '../src/text/en/owner.ts'
import { problems } from '../src/text/en/problems.ts'
import { button, field, inside, section } from './accountPage.ts'
import { assertAccessible } from './axe.ts'
import { useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld({ withLine: true })

const password = 'violet anchor gravel tuba'
const atChange = '**/v1/auth/recovery-words'

const words = (page: Page) => section(page, text.recovery.title)
const typing = (page: Page) => page.getByRole('textbox', { name: text.recover.words, exact: true })
const list = (page: Page) => page.getByRole('list', { name: text.words.list })

async function renew(page: Page): Promise<void> {
  await button(page, text.recovery.renew).click()
  await field(page, text.page.presentPassword).fill(password)
  await button(page, text.recovery.renew).click()
}

async function retype(page: Page, shown: readonly string[]): Promise<void> {
  await button(page, text.words.next).click()
  for (const label of await words(page).locator('form label').allTextContents())
    await field(page, label).fill(shown[Number(label.replace(/\D/g, '')) - 1] ?? '')
  await button(page, text.words.finish).click()
}

async function check(page: Page, typed: readonly string[]): Promise<void> {
  await button(page, text.recovery.open).click()
  await typing(page).fill(typed.join(' '))
  await button(page, text.recovery.submit).click()
}

describe('recovery words of a signed-in owner', () => {
  it('are asked for until they are confirmed, and are replaced; after a lost answer or in two windows the page says which are valid', async (t) => {
    // A browser that was closed before the words were written down.
    const recovery = newRecoveryWords()
    const person = { baseUrl: world.url, email: 'rosa@example.org', password, environment: quickEnvironment }
    const owner = await registerOwner({ ...person, recovery })
    const lost = await recovery.confirm()
    const signedInAs = { signedInAs: owner, passwordsInNode: true }
    const { page } = await browser.open(t, { url: `${world.url}/#/inbox`, ...signedInAs })
    const reminder = page.getByText(shellText.wordsReminder.unconfirmed)
    await reminder.waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: shellText.wordsReminder.open }).click()
    await words(page).getByText(text.recovery.states.unconfirmed, { exact: true }).waitFor()

    await renew(page)
    await list(page).waitFor()
    await assertAccessible(page)
    const shown = await list(page).locator('li > :last-child').allTextContents()
    assert.equal(shown.length, 24)
    await inside(page).getByRole('link', { name: shellText.pages.links }).click()
    await list(page).waitFor({ state: 'detached' })
    await inside(page).getByRole('link', { name: shellText.pages.account }).click()
    await list(page).waitFor()
    assert.deepEqual(await list(page).locator('li > :last-child').allTextContents(), shown, 'another page keeps them')
    await retype(page, shown)
    await words(page).getByText(text.recovery.states.confirmed, { exact: true }).waitFor()
    await inside(page).getByRole('link', { name: shellText.pages.inbox }).click()
    await reminder.waitFor({ state: 'detached' })
    await inside(page).getByRole('link', { name: shellText.pages.account }).click()
    await check(page, lost)
    await words(page).getByText(problems.recovery.recovery_key_unreadable).waitFor()
    await typing(page).fill(shown.join(' '))
    await button(page, text.recovery.submit).click()
    await words(page).getByText(text.recovery.good).waitFor()
    await words(page).getByRole('button', { name: text.page.close }).click()

    await page.route(atChange, (route) => route.abort())
    await renew(page)
    await words(page).getByText(text.recovery.notStored).waitFor()
    await words(page).getByRole('button', { name: text.page.close }).click()
    await words(page).getByText(text.recovery.states.confirmed, { exact: true }).waitFor()
    await page.unroute(atChange)
    await page.route(atChange, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await renew(page)
    await list(page).waitFor()
    await words(page).getByText(text.recovery.states.unconfirmed, { exact: true }).waitFor()
    const next = await list(page).locator('li > :last-child').allTextContents()
    await owner.changeRecoveryWords({ password, words: newRecoveryWords() })
    await retype(page, next)
    await words(page).getByText(text.recovery.notStored).waitFor()

    const { page: later } = await browser.open(t, { url: `${world.url}/#/links`, ...signedInAs })
    await later.getByText(shellText.wordsReminder.unconfirmed).waitFor()
  })
})
