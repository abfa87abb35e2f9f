/** Accessibility, as far as a program can check it: axe-core runs inside the page. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const SOURCE = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']

/** How a driver runs something in a page. */
interface InPage {
  /** Runs a script's text, whatever the page's Content-Security-Policy. */
  runText(script: string): Promise<unknown>
  run<Result>(work: (tags: readonly string[]) => Promise<Result>, tags: readonly string[]): Promise<Result>
}

/** Checks WCAG 2.2 A and AA and axe's best practices once animations ended. Names rule, element and remedy. */
export async function assertAccessible(page: Page): Promise<void> {
  await assertAccessibleIn({
    runText: (script) => page.evaluate(script),
    run: (work, tags) => page.evaluate(work as (tags: readonly string[]) => Promise<never>, tags),
  })
}

/** The same with any driver. */
export async function assertAccessibleIn(page: InPage): Promise<void> {
  // Colours in the middle of a transition would fail the contrast rule. A spinner never ends and is left out.
  const isLoaded = await page.run(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
    await Promise.allSettled(ending.map(({ finished }) => finished))
    return 'axe' in globalThis
  }, TAGS)
  // Evaluated and not added as a script element, which the page's Content-Security-Policy would refuse. Once for each
  // document, as this takes longer than most checks.
  if (!isLoaded) await page.runText(SOURCE)
  const violations = await page.run(async (values) => {
    const { axe: runner } = globalThis as unknown as { axe: typeof axe }
    const found = await runner.run(document, {
      runOnly: { type: 'tag', values: [...values] },
      resultTypes: ['violations'],
    })
    return found.violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }))
  }, TAGS)
  const lines = violations.flatMap(({ id, help, nodes }) => [`${id}: ${help}`, ...nodes.map((node) => `  ${node}`)])
  assert.equal(lines.length, 0, lines.join('\n'))
}
