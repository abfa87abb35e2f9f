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
/** What is not in the document: the browser's own, and what the last drawing has left. */
const MAX_NODES_ELSEWHERE = 500
/** A row with its receipt, in the list and on the print sheet, has half of it. */
const MAX_BYTES_FOR_EACH = 60_000

async function sendMany(page: Page, from: number, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `file ${from + index}.bin`)
  await choose(
    page,
    names.map((name) => someFile(name, 10)),
  )
  await sendChosen(page)
  await page.getByText(`Download ${from + count} receipts`).waitFor({ timeout: TIMEOUT_MS })
}

interface Kept {
  readonly bytes: number
  /** Nodes that scripts or the browser keep, and that are not in the document. */
  readonly nodesElsewhere: number
}

async function keptBy(context: BrowserContext, page: Page): Promise<Kept> {
  const inspector = await context.newCDPSession(page)
  for (let round = 0; round < 3; round++) await inspector.send('HeapProfiler.collectGarbage')
  const { usedSize: bytes } = await inspector.send('Runtime.getHeapUsage')
  const { nodes } = await inspector.send('Memory.getDOMCounters')
  await inspector.detach()
  const inDocument = await page.evaluate(() => {
    const walker = document.createTreeWalker(document)
    let count = 1
    while (walker.nextNode()) count++
    return count
  })
  return { bytes, nodesElsewhere: nodes - inDocument }
}

describe('the memory of a page that sends many files', () => {
  it('has no row that is no longer shown, and a bounded share for each file', async (t) => {
    const { url } = await world.link()
    const { page, context } = await browser.open(t, { url })
    await sendMany(page, 0, 40)
    const before = await keptBy(context, page)
    await sendMany(page, 40, 120)
    const after = await keptBy(context, page)
    const forEach = (after.bytes - before.bytes) / 120
    t.diagnostic(`${Math.round(forEach)} bytes for each file, ${after.nodesElsewhere} nodes elsewhere`)
    assert.ok(after.nodesElsewhere <= MAX_NODES_ELSEWHERE, `${after.nodesElsewhere} nodes are kept`)
    assert.ok(forEach <= MAX_BYTES_FOR_EACH, `${forEach} bytes for each file`)
  })
})
