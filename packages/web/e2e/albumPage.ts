/** What the stories of albums, uploads and shares have in common. */
import { sourceOfBytes } from '@blindkeep/client/source'
import type { Page } from 'playwright-core'
import type { Keeper } from '../../../testing/people.ts'
import { pngOf } from './pictures.ts'

export const picture = pngOf({ width: 640, height: 420 })
export const text = new TextEncoder().encode('Sealed before it leaves.\n'.repeat(90_000))
export const files = [
  { name: 'meadow.png', mimeType: 'image/png', buffer: Buffer.from(picture) },
  { name: 'letters.txt', mimeType: 'text/plain', buffer: Buffer.from(text) },
]
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
export const tile = (page: Page, name: string) => page.locator('.tile').filter({ hasText: name })

export async function upload({ owner, album, device }: Keeper, name: string, content: Uint8Array) {
  const { assetId } = await owner.upload({ source: sourceOfBytes(content), album, device, name })
  return assetId
}
