/** `blindkeep pages serve`: the owner's pages of this package, with the session and the memory of a profile. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { createCalls, requireOwnName } from '@blindkeep/client/call'
import type { OwnerFlags } from '../account/profile.ts'
import { signedIn } from '../account/session.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { Interrupted, interruptible, WITH_TERMINAL } from '../ground/interrupts.ts'
import { findBrowser, startBrowser } from './browser.ts'
import { loadPages } from './builtPages.ts'
import { localAccountOf } from './localAccount.ts'
import { answerLocally } from './localServer.ts'
import { takeOwnOrigin } from './ownOrigin.ts'
import { createPairing } from './pairing.ts'

export interface ServeFlags extends OwnerFlags {
  /** Commander's form of `--no-open`. */
  readonly open: boolean
  readonly browser?: string
}

/** Pages that hear the end have time to close while nothing else can have their port. */
const CLOSING_MS = 1_000

export async function servePages(address: string | undefined, flags: ServeFlags): Promise<Exit> {
  const signed = await signedIn(flags)
  const { server, report } = signed
  if (address !== undefined && address.replace(/\/+$/, '') !== server)
    throw new UsageError(`The profile is signed in at ${server}. Call: blindkeep pages serve ${server}`)
  const browser = flags.open ? await findBrowser(flags.browser) : undefined
  const pages = await loadPages()
  // Before a page is there that could ask it for anything.
  await requireOwnName(createCalls({ baseUrl: server, serverUrl: server }), 'proof')
  const own = await takeOwnOrigin()
  const pairing = createPairing({
    elapsedMs: () => performance.now(),
    randomBytes,
    onCode: (code) => report.answer(`Code for the page: ${code.slice(0, 4)} ${code.slice(4)}`, { event: 'code', code }),
  })
  const over = new AbortController()
  const account = localAccountOf(signed, (error) => over.abort(error))
  const local = { own, pages, pairing, account }
  own.answer((request, reply) => void answerLocally(local, request, reply))
  return await interruptible(async (signal) => {
    report.answer(`The pages of ${server} are at ${own.origin}/ until you press Ctrl-C.`, {
      event: 'serving',
      address: `${own.origin}/`,
      server,
    })
    if (browser !== undefined) startBrowser(browser, `${own.origin}/`)
    else if (flags.open)
      report.aside('Neither Chromium nor Firefox was found. Open the address in one of them, in no other browser.')
    const end = AbortSignal.any([signal, over.signal])
    if (!end.aborted) await once(end, 'abort')
    own.cut()
    await wait(CLOSING_MS)
    await own.leave()
    if (!signal.aborted) throw over.signal.reason
    report.result('Closed. Pages that are still open show nothing more: do not reload them.', { event: 'closed' })
    return signal.reason instanceof Interrupted && signal.reason.by === 'SIGTERM' ? EXIT.done : EXIT.interrupted
  }, WITH_TERMINAL)
}
