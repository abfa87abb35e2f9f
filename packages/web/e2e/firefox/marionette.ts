/** Drives Firefox over Marionette, its own protocol: the only one that reaches notifications too. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../../../testing/startServer.ts'
import { userPreferences } from '../browsers/firefoxPreferences.ts'
import { ELEMENT } from '../browsers/webDriver.ts'

const START_MS = 60_000
const SCRIPT_MS = 60_000
const POLL_MS = 100

export interface Firefox {
  navigate(url: string): Promise<void>
  /** The body of an async function in the page, which may `return`. */
  inPage(body: string): Promise<unknown>
  /** The same with the rights of the browser itself. */
  inBrowser(body: string): Promise<unknown>
  /** Waits for the element of an XPath. */
  click(path: string): Promise<void>
  type(path: string, text: string): Promise<void>
  close(): Promise<void>
}

export async function openFirefox(program: string, prefs: Readonly<Record<string, unknown>>): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'blindkeep-firefox-'))
  const port = await freePort()
  // Those that Marionette recommends turn push off.
  const values = { ...prefs, 'marionette.port': port, 'remote.prefs.recommended': false }
  await writeFile(join(profile, 'user.js'), userPreferences(values))
  const args = ['--marionette', '--headless', '--remote-allow-system-access', '--no-remote', '--profile', profile]
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, HOME: profile } })
  const ended = once(child, 'exit')
  const end = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(profile, { recursive: true, force: true })
  }
  try {
    const session = createSession(await connected(port))
    return { ...(await begin(session)), close: end }
  } catch (error) {
    await end()
    throw error
  }
}

async function connected(port: number): Promise<Socket> {
  for (const until = Date.now() + START_MS; ; await wait(POLL_MS)) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    if (isOpen) return socket
    if (Date.now() > until) throw new Error('Firefox did not start')
  }
}

type Send = (command: string, parameters?: object) => Promise<Readonly<Record<string, unknown>>>

/** Messages are a length in bytes, a colon, and JSON; answers are [1, id, error, result]. */
function createSession(socket: Socket): Send {
  const waiting = new Map<number, (error: unknown, result: Readonly<Record<string, unknown>>) => void>()
  let read = Buffer.alloc(0)
  let lastId = 0
  socket.on('data', (data: Buffer) => {
    read = Buffer.concat([read, data])
    for (;;) {
      const colon = read.indexOf(':')
      const length = Number(read.subarray(0, colon))
      if (colon < 0 || read.length < colon + 1 + length) return
      const message = JSON.parse(String(read.subarray(colon + 1, colon + 1 + length)))
      read = read.subarray(colon + 1 + length)
      if (!Array.isArray(message)) continue
      const [, id, error, result] = message
      waiting.get(id)?.(error, result)
      waiting.delete(id)
    }
  })
  return (command, parameters = {}) =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, (error, result) =>
        error === null ? resolve(result) : reject(new Error(`${command}: ${JSON.stringify(error).slice(0, 500)}`)),
      )
      const text = JSON.stringify([0, lastId, command, parameters])
      socket.write(`${Buffer.byteLength(text)}:${text}`)
    })
}

async function begin(send: Send): Promise<Omit<Firefox, 'close'>> {
  await send('WebDriver:NewSession', {})
  await send('WebDriver:SetTimeouts', { implicit: SCRIPT_MS, script: SCRIPT_MS, pageLoad: SCRIPT_MS })

  async function run(context: 'content' | 'chrome', body: string): Promise<unknown> {
    await send('Marionette:SetContext', { value: context })
    const script = `const done = arguments[0]; (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }))`
    const { value } = await send('WebDriver:ExecuteAsyncScript', { script, args: [] })
    const { value: result, error } = value as { readonly value?: unknown; readonly error?: string }
    await send('Marionette:SetContext', { value: 'content' })
    if (error !== undefined) throw new Error(error)
    return result
  }

  async function find(path: string): Promise<string> {
    const { value } = await send('WebDriver:FindElement', { using: 'xpath', value: path })
    return (value as Readonly<Record<string, string>>)[ELEMENT] ?? ''
  }

  return {
    navigate: async (url) => void (await send('WebDriver:Navigate', { url })),
    inPage: (body) => run('content', body),
    inBrowser: (body) => run('chrome', body),
    click: async (path) => void (await send('WebDriver:ElementClick', { id: await find(path) })),
    type: async (path, text) => void (await send('WebDriver:ElementSendKeys', { id: await find(path), text })),
  }
}
