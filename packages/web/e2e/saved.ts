import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

export interface Saved {
  /** That the browser gives the file. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** What lands on the disk after `click`. Nobody is there to answer the browser's question where, so that it goes the way of browsers without one. */
export async function savedBy(page: Page, click: () => Promise<void>): Promise<Saved> {
  await page.evaluate(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  return { name: download.suggestedFilename(), bytes: new Uint8Array(await readFile(await download.path())) }
}
