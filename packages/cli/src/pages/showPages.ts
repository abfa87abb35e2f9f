/** Shows local pages in a browser until the person or the session ends them. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { createCalls, requireOwnName } from '@blindkeep/client/call'
import type { AddressSubject } from '@blindkeep/client/errors'
import type { LINK_DOCUMENT, PAGE_INDEX } from '@blindkeep/protocol/pages'
import { EXIT, type Exit } from '../ground/exits.ts'
import { Interrupted, interruptible, WITH_TERMINAL } from '../ground/interrupts.ts'
import type { Report } from '../ground/report.ts'
import { findBrowser, startBrowser } from './browser.ts'
import { loadPages } from './builtPages.ts'
import { answerLocally, type Shown } from './localServer.ts'
import { takeOwnOrigin } from './ownOrigin.ts'
import { createPairing } from './pairing.ts'

export interface BrowserFlags {
  /** Commander's form of `--no-open`. */
  readonly open: boolean
  readonly browser?: string
}

interface ShowPages {
  readonly shown: Shown
  /** Stands at `/`. */
  readonly document: typeof PAGE_INDEX | typeof LINK_DOCUMENT
  /** What is refused where the server names another one. */
  readonly about: AddressSubject
  /** `The pages of …`, without a secret. */
  readonly title: string
  readonly flags: BrowserFlags
  readonly report: Report
  /** Aborts, with an error, when the pages must not go on. */
  readonly over: AbortSignal
}

/** Pages that hear the end have time to close while nothing else can have their port. */
const CLOSING_MS = 1_000

export async function showPages({ shown, document, about, title, flags, report, over }: ShowPages): Promise<Exit> {
  const { server } = shown
  const browser = flags.open ? await findBrowser(flags.browser) : undefined
  const pages = await loadPages(document)
  // Before a page is there that could ask it for anything.
  await requireOwnName(createCalls({ baseUrl: server, serverUrl: server }), about)
  const own = await takeOwnOrigin()
  const pairing = createPairing({
    elapsedMs: () => performance.now(),
    randomBytes,
    onCode: (code) => report.answer(`Code for the page: ${code.slice(0, 4)} ${code.slice(4)}`, { event: 'code', code }),
  })
  own.answer((request, reply) => void answerLocally({ own, pages, pairing, shown }, request, reply))
  return await interruptible(async (signal) => {
    report.answer(`${title} at ${own.origin}/ until you press Ctrl-C.`, {
      event: 'serving',
      address: `${own.origin}/`,
      server,
    })
    const askToOpen = (why: string) =>
      report.aside(`${why} Open the address on this machine in Chromium or Firefox, in no other browser.`)
    if (browser !== undefined)
      startBrowser(browser, `${own.origin}/`, () => askToOpen(`${browser} did not start, or ended with a failure.`))
    else if (flags.open) askToOpen('Neither Chromium nor Firefox was found.')
    const end = AbortSignal.any([signal, over])
    if (!end.aborted) await once(end, 'abort')
    await own.sayEnd()
    own.cut()
    await wait(CLOSING_MS)
    await own.leave()
    if (!signal.aborted) throw over.reason
    report.result('Closed. Pages that are still open show nothing more: do not reload them.', { event: 'closed' })
    return signal.reason instanceof Interrupted && signal.reason.by === 'SIGTERM' ? EXIT.done : EXIT.interrupted
  }, WITH_TERMINAL)
}
