import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

export interface Saved {
  /** The name that the browser suggests for the file. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** The file that `click` downloads. No test can answer a file picker, so it is removed, as in browsers without one. */
export async function savedBy(page: Page, click: () => Promise<void>): Promise<Saved> {
  await page.evaluate(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  return { name: download.suggestedFilename(), bytes: new Uint8Array(await readFile(await download.path())) }
}
