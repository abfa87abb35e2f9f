/**
 * A browser controlled over the bare DevTools protocol. Playwright makes the browser report every request with its
 * whole body as text, which costs a page that sends gigabytes more than the sending itself.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { CDPSession } from 'playwright-core'
import { chromiumProgram } from '../packages/web/e2e/chromium.ts'
import { endWithRow } from './processes.ts'
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

/** Rejects when the browser answers with an error, or ends. */
export type Send = CDPSession['send']

export interface DevTools {
  /** Sends to the session of a page or worker, or to the browser without one. */
  sendTo(session?: string): Send
  /** Listens for the events of all sessions, for as long as the browser runs. */
  on<Event>(event: string, listener: (parameters: Event) => void): void
}

export async function launchChromium({ directory, atEnd }: RowOptions): Promise<DevTools> {
  const { executablePath = 'chromium', env } = await chromiumProgram()
  const profile = `--user-data-dir=${join(directory, 'profile')}`
  const child = spawn(executablePath, [...PARAMETERS, profile], {
    // The protocol goes over the descriptors 3 and 4.
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  endWithRow(child, { atEnd })
  const [, , , toBrowser, fromBrowser] = child.stdio
  if (!(toBrowser instanceof Writable && fromBrowser instanceof Readable)) throw new Error('the browser has no pipes')
  return speak(toBrowser, fromBrowser)
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** Every message is JSON with a zero byte behind it. */
function speak(toBrowser: Writable, fromBrowser: Readable): DevTools {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const listeners: { readonly event: string; readonly listen: (parameters: unknown) => void }[] = []
  let lastId = 0
  let received = ''
  const receive = ({ id = 0, method, params, result, error }: Message) => {
    for (const { event, listen } of listeners) if (event === method) listen(params)
    const request = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) request?.resolve(result)
    else request?.reject(new Error(error.message))
  }
  fromBrowser.setEncoding('utf8').on('data', (piece: string) => {
    const texts = (received + piece).split('\0')
    received = texts.pop() ?? ''
    for (const text of texts) receive(JSON.parse(text))
  })
  fromBrowser.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser ended'))
  })
  const send = (message: object): Promise<unknown> => {
    const request = Promise.withResolvers<unknown>()
    waiting.set(++lastId, request)
    toBrowser.write(`${JSON.stringify({ id: lastId, ...message })}\0`)
    return request.promise
  }
  return {
    // The types of the protocol describe the results and the parameters of events.
    sendTo: (sessionId) => (method, params) => send({ method, params: params ?? {}, sessionId }) as Promise<never>,
    on: (event, listener) => void listeners.push({ event, listen: listener as (parameters: unknown) => void }),
  }
}
