/**
 * Who is signed in, in this tab. A session that is kept in the browser belongs to one tab at a time; one that is not lives and ends with the page.
 */
import type { SessionListener } from '@blindkeep/client/account'
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import type { Owner } from '@blindkeep/client/owner'
import { forgetUploads } from './albums/uploadStore.ts'
import { pageEnvironment } from './environment.ts'
import { forgetSession, loadSession } from './keptSession.ts'
import { leave } from './left.ts'
import { enter, newPresent, newTab, resume, show, stop, type Tab } from './sessionTab.ts'
import { takeTabLock } from './tabLock.ts'

/** Why nobody is signed in, where there is more to say than that. */
export type OutReason = 'ended' | 'signed_out' | 'signed_out_unheard' | 'reloaded' | 'deleted'

export type SessionView =
  | { readonly stage: 'opening' }
  | { readonly stage: 'elsewhere'; readonly hasMoved: boolean }
  | { readonly stage: 'out'; readonly reason: OutReason | undefined }
  | {
      readonly stage: 'in'
      readonly owner: Owner
      readonly isKept: boolean
      /** It should have been, and the browser keeps nothing. */
      readonly isKeepingRefused: boolean
    }

/** What a sign-in, a registration or a recovery needs, and what turns its owner into the one of this tab. */
export interface Entrance extends SessionListener {
  readonly baseUrl: string
  readonly environment: Environment
  enter(owner: Owner, wanted: { readonly stay: boolean }): Promise<void>
}

export interface PageSession {
  view(): SessionView
  subscribe(listener: () => void): () => void
  /** Goes on with what is kept; asked again when somebody looks at a tab that stepped back. */
  open(wanted?: { readonly steal: boolean }): Promise<void>
  /** For one try to get in. */
  entrance(): Entrance
  /** Erases what is kept first, also of uploads that are unfinished, whether or not the server hears of it. */
  signOut(): Promise<void>
  /** The account is gone, and with it all that is kept of it. */
  endDeleted(): Promise<void>
}

/** A server that cannot be reached shall not keep anybody from leaving. */
const FAREWELL_MS = 4_000

export function createPageSession(baseUrl: string): PageSession {
  const tab = newTab(baseUrl)
  let isOpening = false

  endWithPage(tab)

  return {
    view: () => tab.view,
    subscribe(listener) {
      tab.listeners.add(listener)
      return () => tab.listeners.delete(listener)
    },

    async open({ steal } = { steal: false }) {
      if (isOpening || tab.view.stage === 'in' || tab.view.stage === 'out') return
      isOpening = true
      try {
        const isNothingKept = !steal && (await loadSession()) === undefined
        if (isNothingKept) return show(tab, { stage: 'out', reason: tab.wasIn() ? 'reloaded' : undefined })
        const lock = await takeTabLock({ steal })
        if (lock !== undefined) await resume(tab, lock)
        else if (tab.view.stage !== 'elsewhere') show(tab, { stage: 'elsewhere', hasMoved: false })
      } finally {
        isOpening = false
      }
    },

    entrance() {
      const entering = newPresent(tab)
      const environment = pageEnvironment(entering.gate)
      return {
        baseUrl,
        environment,
        ...entering.listener,
        enter: (owner, wanted) => enter(tab, entering, { owner, ...wanted }),
      }
    },

    async signOut() {
      const leaving = tab.present
      if (tab.view.stage !== 'in' || leaving === undefined) return
      // From here on nothing that the server says of this session is news; the way to it stays open for one last call.
      tab.present = undefined
      const { owner } = tab.view
      const wasKept = leaving.keeps !== undefined
      // That call may bring new tokens, which must not get back into the browser.
      leaving.keeps = undefined
      const farewell = owner.logOut().then(
        () => true,
        () => false,
      )
      if (wasKept) await forgetSession()
      await forgetFilesOf(owner, baseUrl)
      const isHeard = await Promise.race([farewell, systemEnvironment.wait(FAREWELL_MS).then(() => false)])
      leaving.gate.isClosed = true
      leaving.lock?.release()
      show(tab, { stage: 'out', reason: isHeard ? 'signed_out' : 'signed_out_unheard' })
    },

    async endDeleted() {
      if (tab.view.stage === 'in') await forgetFilesOf(tab.view.owner, baseUrl)
      await stop(tab, 'deleted')
    },
  }
}

/** What happens to a session when its page goes away, or comes back. */
function endWithPage(tab: Tab): void {
  addEventListener('pagehide', ({ persisted }) => {
    // The session ends with the page, also where the browser puts that aside for whoever goes back (HTML, back/forward cache).
    if (tab.view.stage !== 'in' || tab.view.isKept || tab.present === undefined) return
    tab.present.gate.isLeaving = true
    tab.view.owner.logOut().catch(() => undefined)
    if (!persisted) return
    tab.present = undefined
    show(tab, { stage: 'out', reason: 'reloaded' })
  })
  addEventListener('pageshow', ({ persisted }) => {
    // One that is kept may have gone on in another tab meanwhile, or be over.
    if (persisted && tab.view.stage === 'in') location.reload()
  })
}

/** Of whoever leaves for good, nothing stays that would name their files. */
async function forgetFilesOf(owner: Owner, baseUrl: string): Promise<void> {
  leave(owner)
  await forgetUploads({ accountId: owner.accountId, baseUrl }).catch(() => undefined)
}
