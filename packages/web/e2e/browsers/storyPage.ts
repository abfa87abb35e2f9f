/** The steps of a person at a page, over any driver. Each waits until the page is ready for it. */

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { assertAccessibleIn } from '../axe.ts'
import { BARE } from '../bare.ts'
import { keptSession, writeSession } from '../signedIn.ts'
import { type Found, findInPage, sentTarget, type Target } from './find.ts'
import { MARK, type Mark, type StoryBrowser, type Tab, type VisitWish } from './port.ts'

/** A machine at its limit is this late. */
const PATIENCE_MS = 60_000
const POLL_MS = 50
const PICTURES = process.env.STORY_PICTURES
/** How browsers call a file that is not complete. */
const PARTIAL = /\.(?:part|crdownload|wkdownload)$/

/** Contents by name, or by path below a folder. */
export type Files = Readonly<Record<string, Uint8Array>>

export interface SavedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface StoryPage {
  readonly tab: Tab
  /** Resolves when the target is visible, with its text. */
  see(target: Target): Promise<Found>
  /** Resolves when nothing visible is such a target. */
  gone(target: Target): Promise<void>
  click(target: Target): Promise<void>
  /** Types into a field, in place of what it contains. */
  fill(target: Target, text: string): Promise<void>
  /** Chooses files with these contents, in a field for files. */
  choose(target: Target, files: Files): Promise<void>
  /** The same with a folder, whose name and relative paths are kept. */
  chooseFolder(target: Target, name: string, files: Files): Promise<void>
  /** Takes a picture for people to look at, if `STORY_PICTURES` names a directory. */
  look(name: string): Promise<void>
  /** The file that `work` saves, once it has as many bytes: WebKit gives a name before the content. */
  saved(work: () => Promise<void>, leastBytes?: number): Promise<SavedFile>
  /** Fails when axe-core finds a fault. */
  assertAccessible(): Promise<void>
  /** `work` until it answers true; a minute at most, unless said otherwise. */
  until(what: string, work: () => Promise<boolean>, patienceMs?: number): Promise<void>
  /** Throws when there were problems. */
  close(): Promise<void>
}

export async function openPage(browser: StoryBrowser, wish: VisitWish): Promise<StoryPage> {
  const { url, leadsTo = [], locale = 'en-GB', colorScheme = 'light', signedInAs } = wish
  const workplace = await mkdtemp(join(tmpdir(), 'blindkeep-story-'))
  const saved = join(workplace, 'saved')
  await mkdir(saved)
  const tab = await browser.open({ origins: [new URL(url).origin, ...leadsTo], locale, colorScheme }, workplace)
  const page = pageOn({ tab, workplace, savedDirectory: saved, browserName: browser.name })
  try {
    if (signedInAs !== undefined) {
      await tab.goto(new URL(BARE, url).href)
      await tab.run(writeSession, keptSession(signedInAs))
    }
    await tab.goto(url)
  } catch (error) {
    await page.close().catch(() => undefined)
    throw error
  }
  return page
}

interface OpenedTab {
  readonly tab: Tab
  readonly workplace: string
  readonly savedDirectory: string
  readonly browserName: string
}

function pageOn(opened: OpenedTab): StoryPage {
  const { tab, workplace, savedDirectory, browserName } = opened
  const chosenDirectory = join(workplace, 'chosen')
  const { until, see, find, marked } = finderIn(tab)
  let isClosed = false

  return {
    tab,
    see,
    until,
    gone: (target) => until(`the end of ${described(target)}`, async () => (await find(target)).count === 0),
    async click(target) {
      await tab.click(await marked(target))
    },
    async fill(target, text) {
      await tab.type(await marked(target), text)
    },
    async choose(target, files) {
      await tab.choose(await marked(target), await placed(chosenDirectory, files))
    },
    async chooseFolder(target, name, files) {
      const folder = join(chosenDirectory, name)
      await placed(folder, files)
      await tab.choose(await marked(target), [folder])
    },
    async look(name) {
      if (PICTURES === undefined || PICTURES === '') return
      await mkdir(PICTURES, { recursive: true })
      await tab.run(twoFrames)
      await writeFile(join(PICTURES, `${browserName}-${name}.png`.toLowerCase()), await tab.screenshot())
    },
    async saved(work, leastBytes = 1) {
      const before = new Set(await readdir(savedDirectory))
      await work()
      let name = ''
      await until('a saved file', async () => {
        const fresh = (await readdir(savedDirectory)).filter((each) => !before.has(each))
        name = fresh[0] ?? ''
        return fresh.length === 1 && !PARTIAL.test(name) && (await stat(join(savedDirectory, name))).size >= leastBytes
      })
      return { name, bytes: new Uint8Array(await readFile(join(savedDirectory, name))) }
    },
    assertAccessible: () => assertAccessibleIn(tab),
    async close() {
      if (isClosed) return
      isClosed = true
      await tab.run(twoTasks).catch(() => undefined)
      await tab.close()
      const problems = tab.problems()
      await rm(workplace, { recursive: true, force: true, maxRetries: 5 })
      if (problems.length > 0) throw new Error(`${tab.version}: ${problems.join('\n')}`)
    },
  }
}

/** Runs in the page. What it reports in its own tasks has arrived after two more of them. */
async function twoTasks(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve))
}

/** Runs in the page. A picture shows what was drawn last, and that is now what the page is. */
async function twoFrames(): Promise<void> {
  for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
}

function finderIn(tab: Tab) {
  let marks = 0
  const find = (target: Target) => tab.run(findInPage, { target: sentTarget(target) })

  async function until(what: string, work: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
    for (const end = Date.now() + patienceMs; ; await wait(POLL_MS)) {
      if (await work()) return
      if (Date.now() > end) throw new Error(`${tab.version}: ${what} did not come; the page says: ${await said(tab)}`)
    }
  }

  return {
    find,
    until,
    async see(target: Target): Promise<Found> {
      let found = await find(target)
      await until(described(target), async () => {
        if (found.count === 0) found = await find(target)
        return found.count > 0
      })
      return found
    },
    /** Resolves when the target can be used, with its mark. */
    async marked(target: Target): Promise<Mark> {
      const value = `${++marks}` as Mark
      await until(described(target), async () => {
        const order = { target: sentTarget(target), mark: { attribute: MARK, value } }
        return (await tab.run(findInPage, order)).isMarked
      })
      return value
    },
  }
}

/** Writes the files, and resolves with their paths. A file that is chosen again keeps its time. */
async function placed(directory: string, files: Files): Promise<readonly string[]> {
  const paths: string[] = []
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(directory, name)
    paths.push(path)
    await mkdir(dirname(path), { recursive: true })
    const present = await readFile(path).catch(() => undefined)
    if (present === undefined || !present.equals(bytes)) await writeFile(path, bytes)
  }
  return paths
}

function described(target: Target): string {
  const { within, ...rest } = target
  const own = Object.entries(rest)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ')
  return within === undefined ? own : `${own} in (${described(within)})`
}

async function said(tab: Tab): Promise<string> {
  const text = await tab.run(() => document.body.innerText).catch((error: unknown) => String(error))
  return text.replace(/\s+/g, ' ').slice(0, 1500)
}
