import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { account as text } from '../../src/text/en/account.ts'
import type { Shot } from '../shots.ts'

/** The pages before sign-in. */
export const signInShots: readonly Shot[] = [
  {
    name: 'sign-in/first',
    begin: (world) => ({ url: `${world.url}/` }),
    reach: (page) => heading(page, text.signIn.title),
  },
  {
    name: 'sign-in/wrong',
    begin: (world) => ({ url: `${world.url}/` }),
    reach: async (page) => {
      await page.getByLabel(text.email).fill('nobody@example.org')
      await page.getByLabel(text.password, { exact: true }).fill('not the right password')
      await page.getByRole('button', { name: text.signIn.submit }).click()
      await page.getByRole('alert').first().waitFor()
    },
  },
  {
    name: 'sign-in/register',
    begin: (world) => ({ url: `${world.url}/#/register` }),
    reach: (page) => heading(page, text.register.title),
  },
  {
    name: 'sign-in/exposed-invite',
    begin: (world) => ({ url: `${world.url}/%23/register?invite=abcd-efgh-ijkl` }),
    reach: (page) => page.getByText(text.register.exposed.title).waitFor(),
  },
  {
    name: 'sign-in/words',
    begin: (world) => ({ url: `${world.url}/#/register` }),
    reach: async (page) => {
      await heading(page, text.register.title)
      await page.getByLabel(text.email).fill(`${randomUUID()}@example.org`)
      for (const field of await page.locator('input[autocomplete=new-password]').all())
        await field.fill('seven small boats at anchor')
      await page.getByRole('button', { name: text.register.submit }).click()
      await heading(page, text.words.title)
    },
  },
  {
    name: 'sign-in/recover',
    begin: (world) => ({ url: `${world.url}/#/recover` }),
    reach: (page) => heading(page, text.recover.title),
  },
]

function heading(page: Page, name: string): Promise<void> {
  return page.getByRole('heading', { name }).first().waitFor()
}
