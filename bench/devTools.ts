/**
 * A browser of its own, spoken to over the DevTools protocol and nothing else. Playwright has every request told to it with its whole body as a text,
 * which costs a page that sends gigabytes more than the sending does.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { CDPSession } from 'playwright-core'
import { chromiumProgram } from '../packages/web/e2e/chromium.ts'
import type { RowOptions } from './row.ts'

const PARAMETERS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--lang=en-GB',
  '--remote-debugging-pipe',
]

/** Rejects when the browser refuses, or ends. */
export type Send = CDPSession['send']

export interface DevTools {
  /** To the browser, unless `session` is given: that of a page or of a worker. */
  sendTo(session?: string): Send
  /** For as long as the browser runs, whoever it is about. */
  on<CappedList>(event: string, listener: (told: CappedList) => void): void
}

export async function launchChromium({ directory, atEnd }: RowOptions): Promise<DevTools> {
  const { executablePath = 'chromium', env } = await chromiumProgram()
  const profile = `--user-data-dir=${join(directory, 'profile')}`
  const child = spawn(executablePath, [...PARAMETERS, profile], {
    // The protocol goes over the descriptors 3 and 4.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  atEnd(async () => {
    process.removeListener('exit', kill)
    kill()
    await exited
  })
  const [, , , toBrowser, fromBrowser] = child.stdio
  if (!(toBrowser instanceof Writable && fromBrowser instanceof Readable)) throw new Error('the browser has no pipes')
  return speak(toBrowser, fromBrowser)
}

interface CappedList {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** Every message is a text of JSON with a zero byte behind it. */
function speak(toBrowser: Writable, fromBrowser: Readable): DevTools {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const listeners: { readonly event: string; readonly listen: (told: unknown) => void }[] = []
  let lastId = 0
  let received = ''
  const take = ({ id = 0, method, params, result, error }: CappedList) => {
    for (const { event, listen } of listeners) if (event === method) listen(params)
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(result)
    else asked?.reject(new Error(error.message))
  }
  fromBrowser.setEncoding('utf8').on('data', (piece: string) => {
    const texts = (received + piece).split('\0')
    received = texts.pop() ?? ''
    for (const text of texts) take(JSON.parse(text))
  })
  fromBrowser.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser ended'))
  })
  const ask = (message: object): Promise<unknown> => {
    const asked = Promise.withResolvers<unknown>()
    waiting.set(++lastId, asked)
    toBrowser.write(`${JSON.stringify({ id: lastId, ...message })}\0`)
    return asked.promise
  }
  return {
    // The protocol's own types say what comes back, and where an event's facts stand.
    sendTo: (sessionId) => (method, params) => ask({ method, params: params ?? {}, sessionId }) as Promise<never>,
    on: (event, listener) => void listeners.push({ event, listen: listener as (told: unknown) => void }),
  }
}
