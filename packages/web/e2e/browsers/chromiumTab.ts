/** The Chromium of the other stories, by Playwright. */

import { join } from 'node:path'
import { BARE } from '../bare.ts'
import { launchBrowser } from '../browser.ts'
import { chromiumProgram } from '../chromium.ts'
import { type Look, markSelector, type StoryBrowser, type Tab } from './port.ts'

export const chromium: StoryBrowser = {
  name: 'Chromium',
  whyNot: () =>
    chromiumProgram().then(
      () => undefined,
      (error: unknown) => String(error),
    ),
  open: openTab,
}

async function openTab({ origins: [origin, ...leadsTo], locale, colorScheme }: Look, workplace: string): Promise<Tab> {
  const browser = await launchBrowser()
  const { page, context, problems, close } = await browser.visit({
    url: `${origin}${BARE}`,
    leadsTo,
    locale,
    colorScheme,
  })
  // A test cannot answer the question where to save, so the page saves as in a browser that does not ask.
  await context.addInitScript(() => void Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
  page.on('dialog', (dialog) => void dialog.accept())
  page.on('download', (download) => void download.saveAs(join(workplace, 'saved', download.suggestedFilename())))
  return {
    version: `Chromium ${browser.version}`,
    choosesFolders: true,
    hasLocale: true,
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    run: <Result, Given>(work: (given: Given) => Result | Promise<Result>, given?: Given) =>
      page.evaluate<Result>(callOf(work, given)),
    async runInFrame(selector, work) {
      const frame = await (await page.waitForSelector(selector)).contentFrame()
      if (frame === null) throw new Error(`${selector} is no frame`)
      return frame.evaluate(callOf(work))
    },
    runText: (script) => page.evaluate(script),
    click: (mark) => page.click(markSelector(mark)),
    type: (mark, text) => page.fill(markSelector(mark), text),
    press: (key) => page.keyboard.press(key),
    choose: (mark, paths) => page.setInputFiles(markSelector(mark), [...paths]),
    screenshot: () => page.screenshot(),
    problems: () => problems,
    async close() {
      try {
        await close()
      } finally {
        await browser.close()
      }
    },
  }
}

/** An expression that calls `work`. */
function callOf(work: (given: never) => unknown, given?: unknown): string {
  return `(${work})(${JSON.stringify(given) ?? ''})`
}
