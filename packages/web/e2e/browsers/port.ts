/** What the main stories need of a browser, so that they run in every one that can be driven (`decisions/web.md`). */
import type { Owner } from '@blindkeep/client/owner'

/** A browser that can be driven. Each visit has its own profile: nothing is stored from one to the next. */
export interface StoryBrowser {
  readonly name: string
  /** Why the stories are skipped here: the name of what is not installed. Undefined when they can run. */
  whyNot(): Promise<string | undefined>
  /** An empty tab. `workplace` is an empty directory of the visit: saved files go into `saved` below it. */
  open(look: Look, workplace: string): Promise<Tab>
}

export interface Look {
  /** The origin of the pages, and where the server is later. A request to another one is a problem. */
  readonly origins: readonly [string, ...string[]]
  readonly locale: 'en-GB' | 'de-DE'
  readonly colorScheme: 'light' | 'dark'
}

/** One tab. Functions are sent to its page as text, so they refer to nothing outside; values are sent as JSON. */
export interface Tab {
  /** Name and version. */
  readonly version: string
  /** The driver can answer the browser's question for a folder. */
  readonly choosesFolders: boolean
  /** The browser prefers the language of `Look`. */
  readonly hasLocale: boolean
  goto(url: string): Promise<void>
  /** Confirms the browser's question whether to leave the page. */
  reload(): Promise<void>
  run<Result>(work: () => Result | Promise<Result>): Promise<Result>
  run<Result, Given>(work: (given: Given) => Result | Promise<Result>, given: Given): Promise<Result>
  /** Runs in the document of the frame that the selector names, whatever its origin. */
  runInFrame<Result>(selector: string, work: () => Result | Promise<Result>): Promise<Result>
  /** Runs a script's text, whatever the policy of the page. */
  runText(script: string): Promise<void>
  /** A click of the pointer in the middle of the element that carries the attribute. */
  click(mark: Mark): Promise<void>
  /** Types into a field in place of what it contains. */
  type(mark: Mark, text: string): Promise<void>
  press(key: Key): Promise<void>
  /** Chooses the files at these paths, or one folder, in a field for files. */
  choose(mark: Mark, paths: readonly string[]): Promise<void>
  /** A picture of what is visible, as PNG. */
  screenshot(): Promise<Buffer>
  /** Console errors, exceptions, policy refusals, failed loads, and where browsers tell, requests to other origins. */
  problems(): readonly string[]
  close(): Promise<void>
}

export type Key = 'Escape' | 'Tab'

/** How both WebDrivers name these keys. */
export const KEYS: Readonly<Record<Key, string>> = { Escape: '\uE00C', Tab: '\uE004' }

/** The value of `MARK` on an element. The finder sets it, and the driver looks for it. */
export type Mark = string & { readonly Mark: unique symbol }

export const MARK = 'data-story'
export const markSelector = (mark: Mark) => `[${MARK}="${mark}"]`

export interface VisitWish {
  readonly url: string
  /** Other origins of the server. */
  readonly leadsTo?: readonly string[]
  readonly locale?: Look['locale']
  readonly colorScheme?: Look['colorScheme']
  /** For the owner's pages: the owner chose "Stay signed in" earlier. */
  readonly signedInAs?: Owner
}
