/** This tab's session. A stored one belongs to one tab at a time; others end with the page. */
import type { SessionListener } from '@blindkeep/client/account'
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import type { Owner } from '@blindkeep/client/owner'
import { deleteSession, loadSession } from '../browser/ownerStore.ts'
import { leavePush } from '../push/browserPush.ts'
import { startedWork } from '../work/startedWork.ts'
import { endBy, forgetFilesOf, type OwnEnding } from './ownEnding.ts'
import { pageEnvironment } from './pageEnvironment.ts'
import { enter, resume } from './sessionEntry.ts'
import { newSignIn, newTab, show, shut, type Tab } from './sessionTab.ts'
import type { SessionView } from './sessionView.ts'
import { requestTabLock } from './tabLock.ts'

/** What one attempt to sign in, register or recover needs. `enter` makes its owner the owner of this tab. */
export interface SignInAttempt extends SessionListener {
  readonly baseUrl: string
  readonly environment: Environment
  enter(owner: Owner, wanted: { readonly stay: boolean }): Promise<void>
}

export interface PageSession {
  view(): SessionView
  subscribe(listener: () => void): () => void
  /** Resumes the stored session. Call it again when the tab is shown: the other tab may have closed. */
  open(wanted?: { readonly steal: boolean }): Promise<void>
  newAttempt(): SignInAttempt
  /** First deletes stored session, uploads and taken files, also without the server. */
  signOut(): Promise<void>
  /** Makes a call that ends the session, and signs out with its outcome. Throws what the call throws. */
  endBy(ending: OwnEnding, call: () => Promise<void>): Promise<void>
}

/** Signing out waits no longer for a server that does not answer. */
const MAX_SIGN_OUT_MS = 4_000

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
        const isNothingStored = !steal && (await loadSession()) === undefined
        if (isNothingStored) return show(tab, { stage: 'out', reason: tab.wasIn() ? 'reloaded' : undefined })
        const lock = await requestTabLock({ steal })
        if (lock !== undefined) await resume(tab, lock)
        else if (tab.view.stage !== 'elsewhere') show(tab, { stage: 'elsewhere', hasMoved: false })
      } finally {
        isOpening = false
      }
    },

    newAttempt() {
      const signIn = newSignIn(tab)
      const environment = pageEnvironment(signIn.gate)
      return {
        baseUrl,
        environment,
        ...signIn.listener,
        enter: (owner, wanted) => enter(tab, signIn, { owner, ...wanted }),
      }
    },

    async signOut() {
      const leaving = tab.signIn
      if (tab.view.stage !== 'in' || leaving === undefined) return
      // The session may still make its last call, but its end is no longer shown.
      tab.signIn = undefined
      const { owner } = tab.view
      const wasStored = leaving.storeTokens !== undefined
      // The last call may bring new tokens, which must not be stored.
      leaving.storeTokens = undefined
      const isDeleted = !wasStored || (await deleteSession())
      // A file that is being kept gets its signature.
      await Promise.race([startedWork.get(owner)?.end(), systemEnvironment.wait(MAX_SIGN_OUT_MS)])
      // Before the session ends, because only a session may remove the channel of this browser.
      const loggedOut = leavePush({ owner, baseUrl })
        .catch(() => undefined)
        .then(() => owner.logOut())
        .then(
          () => true,
          () => false,
        )
      await forgetFilesOf(owner, baseUrl)
      const isHeard = await Promise.race([loggedOut, systemEnvironment.wait(MAX_SIGN_OUT_MS).then(() => false)])
      shut(leaving)
      const reason = isHeard ? 'signed_out' : 'signed_out_locally'
      show(tab, { stage: 'out', reason: isDeleted ? reason : 'key_left' })
    },

    endBy: (ending, call) => endBy(tab, ending, call),
  }
}

/** Ends the session with its page, or reloads a page that the browser restores. */
function endWithPage(tab: Tab): void {
  addEventListener('pagehide', ({ persisted }) => {
    // The session also ends when the browser keeps the page for the back button (HTML, back/forward cache).
    if (tab.view.stage !== 'in' || tab.view.isStored || tab.signIn === undefined) return
    tab.signIn.gate.isLeaving = true
    tab.view.owner.logOut().catch(() => undefined)
    if (!persisted) return
    tab.signIn = undefined
    show(tab, { stage: 'out', reason: 'reloaded' })
  })
  addEventListener('pageshow', ({ persisted }) => {
    // A stored session may have moved to another tab meanwhile, or have ended.
    if (persisted && tab.view.stage === 'in') location.reload()
  })
}
