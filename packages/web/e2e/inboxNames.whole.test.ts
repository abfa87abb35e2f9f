/** The owner's inbox with the longest and most hostile names that a guest can send. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MAX_HEADER_TEXT_BYTES } from '@blindkeep/protocol/suites'
import { HOSTILE_TEXTS } from '../../../testing/linear.ts'
import { sendFile } from '../../../testing/people.ts'
import { inbox as text } from '../src/text/en/inbox.ts'
import { assertAccessible } from './axe.ts'
import { BARE } from './bare.ts'
import { useBrowser } from './browser.ts'
import { useWorld } from './world.ts'

const browser = useBrowser()
const world = useWorld()

const SHAPES = [
  'dots and spaces in turn',
  'dots before a letter',
  'combining marks in the wrong order',
  'combining marks in turn',
  'direction controls',
] as const

/** The longest text of a shape that a header accepts in its field. */
function longest(shape: string, bytesMax: number): string {
  const whole = HOSTILE_TEXTS[shape]?.(bytesMax) ?? assert.fail(`there is no shape ${shape}`)
  let cut = whole
  while (Buffer.byteLength(cut) > bytesMax) cut = cut.slice(0, -Math.max(1, (Buffer.byteLength(cut) - bytesMax) >> 2))
  return cut
}

interface Counted {
  /** Calls of `normalize('NFC')`, which `safeName` calls once and the rest of the page not at all. */
  normalized?: number
}

function countNormalizations(): void {
  const counted = globalThis as Counted
  counted.normalized = 0
  const { normalize } = String.prototype
  String.prototype.normalize = function (this: string, form?: string): string {
    if (form === 'NFC') counted.normalized = (counted.normalized ?? 0) + 1
    return normalize.call(this, form)
  }
}

describe('an inbox with five hostile names of the greatest length', () => {
  it('makes the safe name of each file once, however often its row is drawn', async (t) => {
    const { owner } = await world.keeper()
    const { url } = await owner.createLink({ label: 'Anyone' })
    for (const shape of SHAPES)
      await sendFile(url, new Uint8Array(1), {
        name: longest(shape, MAX_HEADER_TEXT_BYTES.name),
        type: longest(shape, MAX_HEADER_TEXT_BYTES.type),
        note: longest(shape, MAX_HEADER_TEXT_BYTES.note),
        sender: longest(shape, MAX_HEADER_TEXT_BYTES.sender),
      })
    const { page } = await browser.open(t, { url: `${world.url}${BARE}`, signedInAs: owner })
    await page.addInitScript(countNormalizations)
    await page.goto(`${world.url}/#/inbox`)
    await page
      .locator('.drop')
      .filter({ hasNotText: text.unread })
      .nth(SHAPES.length - 1)
      .waitFor()
    const normalizations = () => page.evaluate(() => (globalThis as Counted).normalized)
    assert.equal(await normalizations(), SHAPES.length)

    const all = page.getByLabel(text.chooseAll, { exact: true })
    for (let turn = 0; turn < 4; turn++) {
      await all.click()
      await page
        .locator('.drop.chosen')
        .nth(SHAPES.length - 1)
        .waitFor()
      await all.click()
      await page.locator('.drop.chosen').first().waitFor({ state: 'detached' })
    }
    assert.equal(await normalizations(), SHAPES.length)
    await assertAccessible(page)
    await page.locator('.drop button.open').first().click()
    await page.getByText(text.noteMore).click()
    await page.getByText(text.noteLess).waitFor()
    assert.equal(await normalizations(), SHAPES.length)
  })
})
