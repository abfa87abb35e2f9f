/** Steps that the stories of the guest's page share. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Owner } from '@blindkeep/client/owner'
import type { Page } from 'playwright-core'
import { type GivenFiles, giveFiles, type SomeFile } from './giveFiles.ts'

export const MIB = 1024 * 1024

/** Random bytes, which no layer can compress. */
export function someFile(name: string, bytes: number): SomeFile {
  return { name, mimeType: 'application/octet-stream', buffer: randomBytes(bytes) }
}

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })

/** The row of one file in the list. */
export const rowOf = (page: Page, name: string) =>
  page.locator('.queue li').filter({ has: page.getByText(name, { exact: true }) })

/** The page has read what it remembers of earlier visits. Before, it looks as if there had been none. */
export const hasRemembered = (page: Page) =>
  button(page, /^(Choose (files|a file|another file|again)|Add more)$/)
    .and(page.locator(':enabled'))
    .first()
    .waitFor()

/** Chooses files with the button for it, whatever it is called now. */
export async function choose(page: Page, files: GivenFiles): Promise<void> {
  await hasRemembered(page)
  const input = page.getByLabel('Choose files', { exact: true }).and(page.locator('input'))
  await giveFiles(input, files)
}

export const sendChosen = (page: Page) => button(page, /^Send \d/).click()

export const allArrived = (page: Page) => page.getByRole('heading', { name: /(has|have) arrived$/ }).waitFor()

/** What the owner of the link opens with the account key. */
export async function contentOf(owner: Owner, name: string): Promise<Buffer> {
  const drops = (await owner.inbox()).filter(({ file }) => file?.name === name)
  const [drop] = drops
  assert.ok(drop !== undefined && drops.length === 1, `${drops.length} drops have the name ${name}`)
  const { content } = await owner.openDrop(drop)
  return Buffer.from(await new Response(content).arrayBuffer())
}
