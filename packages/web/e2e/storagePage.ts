/** Steps that the stories of the storage page share. */
import { randomBytes } from 'node:crypto'
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import type { Keeper } from '../../../testing/people.ts'

export type Content = Uint8Array<ArrayBuffer>

export async function keep({ owner, album, device }: Keeper, name: string, content: Content) {
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), album, device, name })
  return owner.asset(assetId)
}

export const bytesOf = (count: number): Content => new Uint8Array(randomBytes(count))
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
export const row = (page: Page, name: string) => page.locator('.outcomes > li').filter({ hasText: name })
export const results = (page: Page) => page.getByRole('region', { name: 'Result' })

export async function check(page: Page): Promise<void> {
  await button(page, 'Check now').click()
  await button(page, 'Check now').waitFor()
  await results(page).waitFor()
}
