/** Steps that the stories of accounts and sessions share. */
import type { Page } from 'playwright-core'
import { account as text } from '../src/text/en/account.ts'
import { owner as shellText } from '../src/text/en/owner.ts'

/** The databases and stores of the session and of unfinished uploads (`ownerStore.ts`, `uploadStore.ts`). */
const STORES = [
  ['blindkeep.owner', 'session'],
  ['blindkeep-uploads', 'uploads'],
] as const

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
export const inside = (page: Page) => page.getByRole('navigation', { name: shellText.navigation })

interface Typed {
  readonly email: string
  readonly password: string
}

export async function signIn(page: Page, { email, password }: Typed): Promise<void> {
  await field(page, text.email).fill(email)
  await field(page, text.password).fill(password)
  await button(page, text.signIn.submit).click()
}

/** One entry for each row that the browser stores: the name of its store. */
export function storedRows(page: Page): Promise<readonly string[]> {
  return page.evaluate(async (stores) => {
    const rows: string[] = []
    for (const [name, store] of stores) {
      const opening = indexedDB.open(name)
      await new Promise((resolve) => opening.addEventListener('success', resolve))
      const reading = opening.result.transaction(store).objectStore(store).getAll()
      await new Promise((resolve) => reading.addEventListener('success', resolve))
      rows.push(...reading.result.map(() => store))
      opening.result.close()
    }
    return rows
  }, STORES)
}
