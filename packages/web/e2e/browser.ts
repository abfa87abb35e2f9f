/** A real browser for a test file: one process, and a context of its own (cookies, storage, caches) for every visit. */
import assert from 'node:assert/strict'
import { after, before, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Owner } from '@blindkeep/client/owner'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { chromiumProgram } from './chromium.ts'
import { keepSession } from './signedIn.ts'
import { watchForProblems } from './watching.ts'

const SETTLE_MS = 2_000

const DEVICES = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} as const satisfies Record<string, BrowserContextOptions>

export type Device = keyof typeof DEVICES

export interface VisitOptions {
  /** Whole; the visit is confined to its origin. */
  readonly url: string
  readonly device?: Device
  readonly colorScheme?: 'light' | 'dark'
  readonly locale?: 'en-GB' | 'de-DE'
  readonly reducedMotion?: 'reduce' | 'no-preference'
  /** Of the owner's pages: signed in already, as somebody who came back. The owner's session is the browser's from then on. */
  readonly signedInAs?: Owner
  /** Problems that this visit is about; each has to happen. */
  readonly expected?: readonly RegExp[]
  /** Of an earlier visit, for somebody who comes back: what `context.storageState({ indexedDB: true })` gave. */
  readonly storageState?: BrowserContextOptions['storageState']
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Console errors, exceptions, refused by the Content-Security-Policy, requests to other origins, failed loads: of every page of the context. */
  readonly problems: readonly string[]
  /** Throws when there were problems, or expected ones did not come. Called by the end of the test otherwise. */
  close(): Promise<void>
}

export interface Visits {
  /** Opens the page; the visit ends with the test, which fails when there were problems. */
  open(test: Pick<TestContext, 'after'>, options: VisitOptions): Promise<Visit>
  /** For programs that are no tests: the caller closes the visit. */
  visit(options: VisitOptions): Promise<Visit>
}

/** Called at the top of a test file: the browser runs as long as its tests. */
export function useBrowser(): Visits {
  let launched: LaunchedBrowser | undefined
  before(async () => {
    launched = await launchBrowser()
  })
  after(async () => launched?.close())
  const visit = (options: VisitOptions) => {
    if (launched === undefined) throw new Error('the browser runs while tests do')
    return launched.visit(options)
  }
  return {
    visit,
    async open(test, options) {
      const opened = await visit(options)
      test.after(() => opened.close())
      return opened
    },
  }
}

/** What somebody would paste. The pages themselves may not read it (Permissions-Policy), so that another document of their origin is asked. */
export async function clipboardOf({ page, context }: Pick<Visit, 'page' | 'context'>): Promise<string> {
  const reader = await context.newPage()
  await reader.goto(new URL('/healthz', page.url()).href)
  const text = await reader.evaluate(() => navigator.clipboard.readText())
  await reader.close()
  return text
}

interface LaunchedBrowser {
  visit(options: VisitOptions): Promise<Visit>
  close(): Promise<void>
}

export async function launchBrowser(): Promise<LaunchedBrowser> {
  const browser = await chromium.launch({
    ...(await chromiumProgram()),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--font-render-hinting=none',
    ],
  })
  return { visit: (options) => visit(browser, options), close: () => browser.close() }
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
  const problems = await watchForProblems(context, new URL(url).origin)
  // Less than a test may take, so that what is waited for in vain is named.
  context.setDefaultTimeout(20_000)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  if (options.signedInAs !== undefined) {
    await page.goto(new URL('healthz', url).href)
    await keepSession(page, options.signedInAs)
  }
  await page.goto(url)
  let isClosed = false
  return {
    page,
    context,
    problems,
    async close() {
      if (isClosed) return
      isClosed = true
      await Promise.all(context.pages().map(settle))
      await context.close()
      const surprises = problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)))
      const missed = expected.filter((pattern) => !problems.some((problem) => pattern.test(problem)))
      assert.deepEqual({ surprises, missed }, { surprises: [], missed: [] })
    },
  }
}

/** What a page has to report is a task of its own there: after two more, it has been heard of here. */
async function settle(page: Page): Promise<void> {
  const settled = page.evaluate(async () => {
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve))
  })
  // A page that is busy, or gone in the meantime, has nothing more to say in time.
  await Promise.race([settled.catch(() => undefined), wait(SETTLE_MS, undefined, { ref: false })])
}
