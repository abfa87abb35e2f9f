/** An installed Firefox, by WebDriver BiDi. */
import { execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Bidi, openBidi } from './bidi.ts'
import { userPreferences } from './firefoxPreferences.ts'
import { KEYS, type Look, type Mark, markSelector, type StoryBrowser, type Tab } from './port.ts'
import { endProcess } from './processes.ts'

const PROGRAM = process.env.FIREFOX ?? 'firefox-esr'
const WINDOW = { width: 1280, height: 800 }

export const firefox: StoryBrowser = {
  name: 'Firefox',
  async whyNot() {
    return promisify(execFile)(PROGRAM, ['--version']).then(
      () => undefined,
      () => `${PROGRAM} is not installed`,
    )
  },
  open: openTab,
}

/** What a person would set in the preferences. */
function preferences({ locale, colorScheme }: Look, saved: string): string {
  return userPreferences({
    'intl.accept_languages': locale === 'de-DE' ? 'de-DE, de' : 'en-GB, en',
    'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
    'browser.download.folderList': 2,
    'browser.download.dir': saved,
    'browser.download.useDownloadDir': true,
    // Without a screen the window is never active, and then shows no focus.
    'focusmanager.testmode': true,
    // Its viewer of JSON is a document of another origin.
    'devtools.jsonview.enabled': false,
    // Errors of the pages' scripts, with those of their workers, also go to the program's output.
    'browser.dom.window.dump.enabled': true,
    'devtools.console.stdout.content': true,
  })
}

async function openTab(look: Look, workplace: string): Promise<Tab> {
  const profile = join(workplace, 'profile')
  await mkdir(profile)
  await writeFile(join(profile, 'user.js'), preferences(look, join(workplace, 'saved')))
  const program = spawn(PROGRAM, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], {
    env: { ...process.env, TZ: 'Europe/Berlin', HOME: workplace, MOZ_CRASHREPORTER_DISABLE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const problems: string[] = []
  try {
    const bidi = await openBidi(`${await addressOf(program.stderr)}/session`)
    const { capabilities } = await bidi.send<{ capabilities: { browserVersion: string } }>('session.new', {
      capabilities: { alwaysMatch: { unhandledPromptBehavior: { default: 'accept' } } },
    })
    await watch(bidi, look.origins, problems)
    const tree = await bidi.send<{ contexts: readonly { context: string }[] }>('browsingContext.getTree', {})
    const context = tree.contexts[0]?.context
    if (context === undefined) throw new Error('Firefox has no tab')
    await bidi.send('browsingContext.setViewport', { context, viewport: WINDOW })
    await bidi.send('browsingContext.activate', { context })
    return {
      version: `Firefox ${capabilities.browserVersion}`,
      ...actionsIn(bidi, context),
      problems: () => problems,
      async close() {
        await bidi.send('browser.close', {}).catch(() => undefined)
        bidi.close()
        await endProcess(program)
      },
    }
  } catch (error) {
    await endProcess(program)
    throw error
  }
}

type Actions = Omit<Tab, 'version' | 'problems' | 'close'>

function actionsIn(bidi: Bidi, context: string): Actions {
  const perform = (id: string, type: string, actions: readonly object[], more: object = {}) =>
    bidi.send('input.performActions', { context, actions: [{ id, type, actions, ...more }] })
  const element = (mark: Mark) => elementOf(bidi, context, markSelector(mark))

  async function click(mark: Mark): Promise<void> {
    const origin = { type: 'element', element: await element(mark) }
    await perform(
      'pointer',
      'pointer',
      [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ],
      { parameters: { pointerType: 'mouse' } },
    )
  }

  const keys = (values: readonly string[]) =>
    perform(
      'keys',
      'key',
      values.flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    )

  return {
    choosesFolders: false,
    hasLocale: true,
    goto: async (url) => void (await bidi.send('browsingContext.navigate', { context, url, wait: 'complete' })),
    reload: async () => void (await bidi.send('browsingContext.reload', { context, wait: 'complete' })),
    run: <Result, Given>(work: (given: Given) => Result | Promise<Result>, given?: Given) =>
      run<Result>(bidi, context, work, given),
    async runInFrame(selector, work) {
      return run(bidi, await contextOf(bidi, context, selector), work)
    },
    runText: async (script) => void (await evaluate(bidi, context, `${script}\n;null`)),
    click,
    async type(mark, text) {
      await click(mark)
      await evaluate(bidi, context, 'document.activeElement.select()')
      await keys([...text])
    },
    press: async (key) => void (await keys([KEYS[key]])),
    async choose(mark, files) {
      await bidi.send('input.setFiles', { context, element: await element(mark), files })
    },
    async screenshot() {
      const { data } = await bidi.send<{ data: string }>('browsingContext.captureScreenshot', { context })
      return Buffer.from(data, 'base64')
    },
  }
}

interface RemoteValue {
  readonly type: string
  readonly value?: unknown
  readonly sharedId?: string
}

interface Evaluated {
  readonly type: 'success' | 'exception'
  readonly result?: RemoteValue
  readonly exceptionDetails?: { readonly text: string }
}

async function evaluate(bidi: Bidi, context: string, expression: string): Promise<RemoteValue> {
  const { result, exceptionDetails } = await bidi.send<Evaluated>('script.evaluate', {
    expression,
    target: { context },
    awaitPromise: true,
    // The page may then do what needs a person's gesture.
    userActivation: false,
  })
  if (result === undefined) throw new Error(exceptionDetails?.text ?? 'the page answered nothing')
  return result
}

async function run<Result>(
  bidi: Bidi,
  context: string,
  work: (given: never) => unknown,
  given?: unknown,
): Promise<Result> {
  const call = `(${work})(${JSON.stringify(given) ?? ''})`
  const { value } = await evaluate(bidi, context, `(async () => JSON.stringify(await ${call}))()`)
  return typeof value === 'string' ? JSON.parse(value) : (undefined as Result)
}

async function elementOf(bidi: Bidi, context: string, selector: string): Promise<{ readonly sharedId: string }> {
  const find = `(() => {
    const element = document.querySelector(${JSON.stringify(selector)})
    element?.scrollIntoView({ block: 'center', behavior: 'instant' })
    return element
  })()`
  const { sharedId } = await evaluate(bidi, context, find)
  if (sharedId === undefined) throw new Error(`there is no ${selector}`)
  return { sharedId }
}

async function contextOf(bidi: Bidi, context: string, selector: string): Promise<string> {
  const { value } = await evaluate(bidi, context, `document.querySelector(${JSON.stringify(selector)}).contentWindow`)
  if (typeof value !== 'object' || value === null || !('context' in value)) throw new Error(`${selector} is no frame`)
  return String(value.context)
}

interface LogEntry {
  readonly type: string
  readonly level: string
  readonly text: string | null
  readonly source: { readonly realm: string }
}

interface NetworkEvent {
  readonly request: { readonly url: string; readonly destination?: string; readonly initiatorType?: string | null }
  readonly response?: { readonly status: number }
}

async function watch(bidi: Bidi, origins: readonly string[], problems: string[]): Promise<void> {
  bidi.on('log.entryAdded', (entry: LogEntry) => {
    if (entry.level === 'error') problems.push(`${entry.type}: ${entry.text}`)
  })
  bidi.on('network.beforeRequestSent', ({ request }: NetworkEvent) => {
    if (/^https?:/.test(request.url) && !origins.includes(new URL(request.url).origin))
      problems.push(`request to another origin: ${request.url}`)
  })
  bidi.on('network.responseCompleted', ({ request, response }: NetworkEvent) => {
    // The pages themselves handle what the server answers to a call.
    const isCall = request.destination === '' && request.initiatorType !== null
    if (response !== undefined && response.status >= 400 && !isCall && !request.url.endsWith('/favicon.ico'))
      problems.push(`${response.status} for ${request.url}`)
  })
  await bidi.send('session.subscribe', {
    events: ['log.entryAdded', 'network.beforeRequestSent', 'network.responseCompleted'],
  })
}

/** The address that Firefox prints when it takes sessions. */
function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  const seen: string[] = []
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: output })
    lines.on('line', (line) => {
      seen.push(line)
      const address = /WebDriver BiDi listening on (\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    lines.on('close', () => reject(new Error(`Firefox ended: ${seen.join('\n')}`)))
  })
}
