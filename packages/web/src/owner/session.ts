/**
 * Who is signed in, in this tab. A session that is kept in the browser belongs to one tab at a time; one that is not lives and ends with the page.
 */
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import type { Owner } from '@blindkeep/client/owner'
import type { SessionListener } from '@blindkeep/client/session'
import { pageEnvironment } from './environment.ts'
import { forgetSession, loadSession } from './keptSession.ts'
import { enter, newPresent, newTab, resume, show, stop } from './sessionTab.ts'
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
  /** Erases what is kept first, whether or not the server hears of it. */
  signOut(): Promise<void>
  /** The session is over, and the server knows. */
  end(reason: OutReason): Promise<void>
}

/** A server that cannot be reached shall not keep anybody from leaving. */
const FAREWELL_MS = 4_000

export function createPageSession(baseUrl: string): PageSession {
  const tab = newTab(baseUrl)
  let isOpening = false

  addEventListener('pagehide', ({ persisted }) => {
    // Nobody can come back to a session whose keys go with the page.
    if (persisted || tab.view.stage !== 'in' || tab.view.isKept || tab.present === undefined) return
    tab.present.gate.isLeaving = true
    tab.view.owner.logOut().catch(() => undefined)
  })

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
      const farewell = tab.view.owner.logOut().then(
        () => true,
        () => false,
      )
      if (leaving.keeps !== undefined) await forgetSession()
      const isHeard = await Promise.race([farewell, systemEnvironment.wait(FAREWELL_MS).then(() => false)])
      leaving.gate.isClosed = true
      leaving.lock?.release()
      show(tab, { stage: 'out', reason: isHeard ? 'signed_out' : 'signed_out_unheard' })
    },

    end: (reason) => stop(tab, reason),
  }
}
