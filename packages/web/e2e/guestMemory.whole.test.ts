/** What the guest's page keeps of the rows that it has drawn. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { useBrowser } from './browser.ts'
import { choose, sendChosen, someFile } from './guestPage.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

/** Of a busy machine, for a hundred files. */
const TIMEOUT_MS = 180_000
/** A mounted row with its receipt, in the list and on the print sheet, has 26 kB. */
const MAX_BYTES_FOR_EACH = 80_000

async function sendMany(page: Page, from: number, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `file ${from + index}.bin`)
  await choose(
    page,
    names.map((name) => someFile(name, 10)),
  )
  await sendChosen(page)
  await page.getByText(`Download ${from + count} receipts`).waitFor({ timeout: TIMEOUT_MS })
}

/** Bytes that the page's scripts keep. */
async function keptBy(context: BrowserContext, page: Page): Promise<number> {
  const inspector = await context.newCDPSession(page)
  for (let round = 0; round < 3; round++) await inspector.send('HeapProfiler.collectGarbage')
  const { usedSize } = await inspector.send('Runtime.getHeapUsage')
  await inspector.detach()
  return usedSize
}

describe('the memory of a page that sends many files', () => {
  it('keeps none of the rows that were drawn before', async (t) => {
    const { url } = await world.link()
    const { page, context } = await browser.open(t, { url })
    await sendMany(page, 0, 40)
    const before = await keptBy(context, page)
    await sendMany(page, 40, 120)
    const after = await keptBy(context, page)
    const forEach = (after - before) / 120
    t.diagnostic(`${Math.round(forEach)} bytes for each file`)
    assert.ok(forEach <= MAX_BYTES_FOR_EACH, `${forEach} bytes for each file`)
  })
})
