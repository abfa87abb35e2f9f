/** A real browser for test files: one process, and a separate context (cookies, storage, caches) for every visit. */

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Owner } from '@blindkeep/client/owner'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { memoryDirectory } from '../../../testing/memoryDirectory.ts'
import { BARE } from './bare.ts'
import { chromiumProgram } from './chromium.ts'
import { useShared } from './shared.ts'
import { keepSession } from './signedIn.ts'
import { stretchInNode } from './stretchInNode.ts'
import { watchForProblems } from './watching.ts'

const SETTLE_MS = 2_000
/** A machine at its limit is this late. */
const REPORT_MS = 60_000
const POLL_MS = 20
const MAX_SHOWN_CHARACTERS = 1_000

const DEVICES = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} as const satisfies Record<string, BrowserContextOptions>

export type Device = keyof typeof DEVICES

export interface VisitOptions {
  /** Absolute. A request to another origin is a problem. */
  readonly url: string
  /** Other origins of the server. */
  readonly leadsTo?: readonly string[]
  readonly device?: Device
  readonly colorScheme?: 'light' | 'dark'
  readonly locale?: 'en-GB' | 'de-DE'
  readonly reducedMotion?: 'reduce' | 'no-preference'
  /** For owner's pages: the owner chose "Stay signed in" earlier. From then on only the browser may use the session. */
  readonly signedInAs?: Owner
  /** Node derives keys in place of the page's worker, six times faster: for stories about something else. */
  readonly passwordsInNode?: boolean
  /** Problems that belong to this visit. Each must occur. */
  readonly expected?: readonly RegExp[]
  /** The result of `context.storageState({ indexedDB: true })` in an earlier visit, for a person who comes back. */
  readonly storageState?: BrowserContextOptions['storageState']
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Of all pages: console errors, exceptions, policy refusals, requests to other origins, failed loads. */
  readonly problems: readonly string[]
  /** The last calls and their answers. */
  readonly calls: readonly string[]
  /** Throws when there were unexpected problems, or when expected ones did not occur. */
  close(): Promise<void>
}

interface RunningTest extends Pick<TestContext, 'after' | 'name'> {
  /** Node has it, its types do not. */
  readonly passed?: boolean
}

export interface Visits {
  /**
   * Opens the page. The visit closes when the test ends, and the test fails if there were problems. What the pages of a
   * failed test showed is printed at the end of the process.
   */
  open(test: RunningTest, options: VisitOptions): Promise<Visit>
  /** The same without a test: the caller closes the visit. */
  visit(options: VisitOptions): Promise<Visit>
}

/** Call it at the top of a test file: the browser runs as long as the tests of the process. */
export function useBrowser(): Visits {
  const launched = useShared('browser', launchBrowser, (browser) => browser.close())
  const visit = (options: VisitOptions) => launched().visit(options)
  return {
    visit,
    async open(test, options) {
      const opened = await visit(options)
      test.after(async () => {
        if (test.passed === false) await printAtEnd(test.name, opened)
        await opened.close()
      })
      return opened
    },
  }
}

/** The clipboard's text, read by another document of the origin: the pages may not (Permissions-Policy). */
export async function clipboardOf({ page, context }: Pick<Visit, 'page' | 'context'>): Promise<string> {
  const reader = await context.newPage()
  await reader.goto(new URL(BARE, page.url()).href)
  const text = await reader.evaluate(() => navigator.clipboard.readText())
  await reader.close()
  return text
}

/** Resolves when it has: pages change their title after what they draw. */
export async function hasTitle(page: Page, title: string): Promise<void> {
  await page.waitForFunction((wanted) => document.title === wanted, title)
}

interface LaunchedBrowser {
  readonly version: string
  visit(options: VisitOptions): Promise<Visit>
  close(): Promise<void>
}

export async function launchBrowser(): Promise<LaunchedBrowser> {
  const browser = await chromium.launch({
    ...(await chromiumProgram()),
    // Playwright has Chromium keep its shared memory, which is all that it draws, in files on the disk.
    ...(memoryDirectory() === undefined ? {} : { ignoreDefaultArgs: ['--disable-dev-shm-usage'] }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--font-render-hinting=none',
    ],
  })
  return {
    version: browser.version(),
    visit: (options) => visit(browser, options),
    close: () => browser.close(),
  }
}

async function visit(browser: Browser, options: VisitOptions): Promise<Visit> {
  const { url, device = 'desktop', locale = 'en-GB', colorScheme = 'light', expected = [] } = options
  const context = await browser.newContext({
    ...DEVICES[device],
    locale,
    colorScheme,
    timezoneId: 'Europe/Berlin',
    reducedMotion: options.reducedMotion ?? 'no-preference',
    ...(options.storageState === undefined ? {} : { storageState: options.storageState }),
  })
  const { problems, calls } = await watchForProblems(context, [new URL(url).origin, ...(options.leadsTo ?? [])])
  // Shorter than the timeout of a test, so that the error names what the test waited for.
  context.setDefaultTimeout(60_000)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  // A test cannot answer the question for a folder.
  await context.addInitScript(() => void Reflect.deleteProperty(globalThis, 'showDirectoryPicker'))
  if (options.passwordsInNode === true) await stretchInNode(context)
  const page = await context.newPage()
  if (options.signedInAs !== undefined) {
    await page.goto(new URL(`.${BARE}`, url).href)
    await keepSession(page, options.signedInAs)
  }
  await page.goto(url)
  let isClosed = false
  return {
    page,
    context,
    problems,
    calls,
    async close() {
      if (isClosed) return
      isClosed = true
      await Promise.all(context.pages().map(settle))
      const missed = () => expected.filter((pattern) => !problems.some((problem) => pattern.test(problem)))
      // What a worker reports arrives in its own time.
      for (const until = Date.now() + REPORT_MS; missed().length > 0 && Date.now() < until; ) await wait(POLL_MS)
      await context.close()
      const surprises = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)))
      assert.deepEqual({ surprises, missed: missed() }, { surprises: [], missed: [] })
    },
  }
}

/** After the list of what failed, so that a reader finds both together. */
async function printAtEnd(test: string, { context, calls, problems }: Visit): Promise<void> {
  const shown = await Promise.all(context.pages().map(async (page) => `${page.url()}\n${await textOf(page)}`))
  process.on('exit', () =>
    console.error([`When "${test}" failed, its pages showed:`, ...shown, ...calls, ...problems].join('\n')),
  )
}

async function textOf(page: Page): Promise<string> {
  const text = page.locator('body').innerText({ timeout: SETTLE_MS })
  return (await text.catch(String)).replaceAll(/\s*\n\s*/g, ' | ').slice(0, MAX_SHOWN_CHARACTERS)
}

/** A page reports problems in its own tasks. After two more tasks every earlier report has arrived. */
async function settle(page: Page): Promise<void> {
  const settled = page.evaluate(async () => {
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve))
  })
  // A page that is busy or closed does not answer.
  await Promise.race([settled.catch(() => undefined), wait(SETTLE_MS, undefined, { ref: false })])
}
