/** Records what no page may do during a test. */

import type { BrowserContext, ConsoleMessage, Request } from 'playwright-core'
import { BARE } from './bare.ts'

const MAX_CALLS = 20

interface Watched {
  readonly problems: readonly string[]
  /** The last ones and their answers. */
  readonly calls: readonly string[]
}

/** Watches every page of the context. The returned lists grow. */
export async function watchForProblems(context: BrowserContext, origins: readonly string[]): Promise<Watched> {
  const problems: string[] = []
  const calls: string[] = []
  const noteCall = (about: string | number, request: Request) => {
    if (!isCall(request)) return
    calls.push(`${about} ${request.method()} ${request.url()}`)
    if (calls.length > MAX_CALLS) calls.shift()
  }
  await context.exposeBinding('blindkeepViolation', (_source, text: string) => void problems.push(text))
  await context.addInitScript(reportViolations)
  context.on('console', (message) => {
    if (isFault(message)) problems.push(`console: ${message.text()}`)
  })
  context.on('page', (page) => {
    // A worker that has already ended reports nothing.
    page.on('worker', (worker) => void worker.evaluate(reportViolationsOfWorker).catch(() => undefined))
  })
  context.on('weberror', (error) => void problems.push(`error: ${error.error().stack ?? String(error.error())}`))
  context.on('request', (request) => {
    noteCall('asked', request)
    if (isElsewhere(request.url(), origins)) problems.push(`request to another origin: ${request.url()}`)
  })
  context.on('response', (response) => {
    noteCall(response.status(), response.request())
    const isBare = new URL(response.url()).pathname.endsWith(BARE)
    if (response.status() >= 400 && !isCall(response.request()) && !isBare)
      problems.push(`${response.status()} for ${response.url()}`)
  })
  return { problems, calls }
}

/** Runs in the page, before its own scripts. */
function reportViolations(): void {
  const { blindkeepViolation } = globalThis as unknown as { blindkeepViolation?: (text: string) => void }
  document.addEventListener('securitypolicyviolation', (event) => {
    blindkeepViolation?.(
      `Content-Security-Policy: ${event.effectiveDirective} refused ${event.blockedURI} (${event.sourceFile}:${event.lineNumber})`,
    )
  })
}

/** Runs in each new worker, whose console is recorded. */
function reportViolationsOfWorker(): void {
  self.addEventListener('securitypolicyviolation', (event) => {
    console.error(`Content-Security-Policy of a worker: ${event.effectiveDirective} refused ${event.blockedURI}`)
  })
}

/** Browsers log each refused request and lost connection. The page handles them: they are no fault. */
function isFault(message: ConsoleMessage): boolean {
  return message.type() === 'error' && !message.text().startsWith('Failed to load resource: ')
}

function isCall(request: Request): boolean {
  return ['fetch', 'xhr', 'eventsource'].includes(request.resourceType())
}

function isElsewhere(url: string, origins: readonly string[]): boolean {
  const { protocol, origin: asked } = new URL(url)
  // A blob belongs to the page that created it, even one without an origin (`blob:null/…`).
  return protocol !== 'about:' && protocol !== 'blob:' && !origins.includes(asked)
}
