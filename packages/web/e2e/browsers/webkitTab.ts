/** WebKitGTK's MiniBrowser, by WebDriver, on a virtual screen of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../../testing/startServer.ts'
import { KEYS, type Look, type Mark, markSelector, type StoryBrowser, type Tab } from './port.ts'
import { endProcess } from './processes.ts'
import { ELEMENT, type ElementReference, openWebDriver, type WebDriver } from './webDriver.ts'

const DRIVER = '/usr/bin/WebKitWebDriver'
const SCREEN = '/usr/bin/Xvfb'
const LIBRARIES = '/usr/lib'
const STARTING_MS = 60_000
const POLL_MS = 50
const SCRIPT_MS = 600_000

export const webkit: StoryBrowser = {
  name: 'WebKitGTK',
  async whyNot() {
    const missing = [DRIVER, SCREEN].find((path) => !existsSync(path))
    if (missing !== undefined) return `${missing} is not installed`
    return (await browserProgram()) === undefined ? 'WebKitGTK has no MiniBrowser here' : undefined
  },
  open: openTab,
}

/** Debian: `/usr/lib/<architecture>/webkit2gtk-4.1/MiniBrowser`. */
async function browserProgram(): Promise<string | undefined> {
  for (const architecture of await readdir(LIBRARIES))
    for (const version of ['6.0', '4.1']) {
      const name = version === '6.0' ? 'webkitgtk-6.0' : 'webkit2gtk-4.1'
      const path = join(LIBRARIES, architecture, name, 'MiniBrowser')
      if (existsSync(path)) return path
    }
  return undefined
}

async function openTab(look: Look, workplace: string): Promise<Tab> {
  const started: ChildProcess[] = []
  try {
    const screen = spawn(SCREEN, ['-displayfd', '3', '-screen', '0', '1280x880x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    started.push(screen)
    const port = await freePort()
    const env = await environmentOf(look, workplace, await displayOf(screen))
    const program = spawn(DRIVER, [`--port=${port}`], { env, stdio: 'ignore' })
    started.push(program)
    const baseUrl = `http://127.0.0.1:${port}`
    await answers(baseUrl)
    const binary = await browserProgram()
    const driver = await openWebDriver(baseUrl, {
      'webkitgtk:browserOptions': { binary, args: ['--automation'] },
      unhandledPromptBehavior: 'accept',
    })
    await driver.post('timeouts', { script: SCRIPT_MS })
    const watch = watchIn(driver)
    return {
      version: `WebKitGTK ${driver.capabilities.browserVersion}`,
      ...actionsIn(driver, watch),
      problems: () => watch.problems,
      async close() {
        await watch.collect()
        await driver.end().catch(() => undefined)
        for (const child of started.reverse()) await endProcess(child)
      },
    }
  } catch (error) {
    for (const child of started.reverse()) await endProcess(child)
    throw error
  }
}

/** What a person would set on the desktop. */
async function environmentOf({ colorScheme }: Look, workplace: string, display: string) {
  const config = join(workplace, 'config')
  await mkdir(config)
  await writeFile(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${join(workplace, 'saved')}"\n`)
  return {
    ...process.env,
    DISPLAY: display,
    HOME: workplace,
    XDG_CONFIG_HOME: config,
    XDG_CACHE_HOME: join(workplace, 'cache'),
    XDG_DATA_HOME: join(workplace, 'data'),
    // Another language would need another locale of the system.
    LC_ALL: 'C.UTF-8',
    TZ: 'Europe/Berlin',
    GTK_THEME: colorScheme === 'dark' ? 'Adwaita:dark' : 'Adwaita',
    NO_AT_BRIDGE: '1',
  }
}

/**
 * The driver tells nothing of the console, so the page notes its problems itself. `start` runs when a document is
 * loaded: it misses errors of before, which leave a page that fails the story, but not the refusals of the policy,
 * which the browser keeps. What happens in workers is not noted.
 */
function watchIn(driver: WebDriver) {
  const problems: string[] = []
  return {
    problems,
    start: () => run(driver, noteProblems),
    async collect(): Promise<void> {
      problems.push(...(await run<readonly string[]>(driver, notedProblems).catch(() => [])))
    },
  }
}

/** Runs in the page. */
function noteProblems(): void {
  const noted: string[] = []
  Object.assign(globalThis, { notedProblems: noted })
  const { error } = console
  console.error = (...values: readonly unknown[]) => {
    noted.push(`console: ${values.map(String).join(' ')}`)
    error(...values)
  }
  addEventListener('error', ({ message }) => void noted.push(`error: ${message}`))
  addEventListener('unhandledrejection', ({ reason }) => void noted.push(`error: ${reason}`))
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    noted.push(`Content-Security-Policy: ${effectiveDirective} refused ${blockedURI}`)
  })
  const early = new ReportingObserver(
    (reports) => {
      for (const { body } of reports) noted.push(`Content-Security-Policy: ${JSON.stringify(body)}`)
      early.disconnect()
    },
    { types: ['csp-violation'], buffered: true },
  )
  early.observe()
}

/** Runs in the page. */
function notedProblems(): readonly string[] {
  const { notedProblems: noted = [] } = globalThis as { readonly notedProblems?: readonly string[] }
  return noted
}

function actionsIn(driver: WebDriver, watch: ReturnType<typeof watchIn>): Omit<Tab, 'version' | 'problems' | 'close'> {
  const element = async (selector: string) =>
    (await driver.post<ElementReference>('element', { using: 'css selector', value: selector }))[ELEMENT]
  const marked = (mark: Mark) => element(markSelector(mark))
  return {
    choosesFolders: false,
    hasLocale: false,
    async goto(url) {
      await watch.collect()
      await driver.post('url', { url })
      await watch.start()
    },
    async reload() {
      await watch.collect()
      await driver.post('refresh')
      await watch.start()
    },
    run: <Result, Given>(work: (given: Given) => Result | Promise<Result>, given?: Given) =>
      run<Result>(driver, work, given),
    async runInFrame(selector, work) {
      await driver.post('frame', { id: { [ELEMENT]: await element(selector) } })
      try {
        return await run(driver, work)
      } finally {
        await driver.post('frame', { id: null })
      }
    },
    runText: (script) => driver.post('execute/sync', { script: `${script}\n;return null`, args: [] }),
    click: async (mark) => driver.post(`element/${await marked(mark)}/click`),
    async type(mark, text) {
      const id = await marked(mark)
      await driver.post(`element/${id}/clear`)
      await driver.post(`element/${id}/value`, { text })
    },
    press: (key) =>
      driver.post('actions', {
        actions: [
          {
            id: 'keys',
            type: 'key',
            actions: ['keyDown', 'keyUp'].map((type) => ({ type, value: KEYS[key] })),
          },
        ],
      }),
    choose: async (mark, paths) => driver.post(`element/${await marked(mark)}/value`, { text: paths.join('\n') }),
    screenshot: async () => Buffer.from(await driver.get<string>('screenshot'), 'base64'),
  }
}

async function run<Result>(driver: WebDriver, work: (given: never) => unknown, given?: unknown): Promise<Result> {
  const script = `
    const done = arguments[arguments.length - 1]
    Promise.resolve().then(() => (${work})(...arguments[0])).then(
      (value) => done(JSON.stringify({ value })),
      (error) => done(JSON.stringify({ error: String(error && error.stack ? error + ' ' + error.stack : error) })))`
  const args = [given === undefined ? [] : [given]]
  const answer = await driver.post<string>('execute/async', { script, args })
  const { value, error } = JSON.parse(answer)
  if (error !== undefined) throw new Error(error)
  return value
}

function displayOf(screen: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    screen.stdio[3]?.once('data', (number: unknown) => resolve(`:${String(number).trim()}`))
    screen.once('exit', () => reject(new Error('the screen did not start')))
  })
}

async function answers(baseUrl: string): Promise<void> {
  for (const end = Date.now() + STARTING_MS; ; await wait(POLL_MS)) {
    const isReady = await fetch(`${baseUrl}/status`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    if (Date.now() > end) throw new Error('the driver did not start')
  }
}
