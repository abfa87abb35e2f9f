/** This tab's session. A stored one belongs to one tab at a time; others end with the page. */
import type { SessionListener } from '@blindkeep/client/account'
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import type { Owner } from '@blindkeep/client/owner'
import { deleteUploads } from './albums/uploadStore.ts'
import { pageEnvironment } from './environment.ts'
import { deleteNames } from './find/nameIndex.ts'
import { ownerLeaves } from './ownerLeave.ts'
import { deleteSession, loadSession } from './ownerStore.ts'
import { endPush, leavePush } from './push/browserPush.ts'
import { enter, newSignIn, newTab, resume, show, signOutLocally, type Tab } from './sessionTab.ts'
import type { SessionView } from './sessionView.ts'
import { requestTabLock } from './tabLock.ts'
import { endTaking } from './take/taking.ts'
import { startedWork } from './work/startedWork.ts'
import { deleteWorks } from './work/workStore.ts'

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
  /** The account was deleted: deletes all that is stored of it. */
  endDeleted(): Promise<void>
  /** The owner has revoked the key of this browser, which has ended the session. */
  endRevoked(): Promise<void>
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
      if (wasStored) await deleteSession()
      await forgetFilesOf(owner, baseUrl)
      const isHeard = await Promise.race([loggedOut, systemEnvironment.wait(MAX_SIGN_OUT_MS).then(() => false)])
      leaving.gate.isClosed = true
      leaving.lock?.release()
      show(tab, { stage: 'out', reason: isHeard ? 'signed_out' : 'signed_out_locally' })
    },

    async endDeleted() {
      if (tab.view.stage === 'in') await forgetFilesOf(tab.view.owner, baseUrl)
      await endPush({ baseUrl })
      await signOutLocally(tab, 'deleted')
    },

    // A call that the server refused meanwhile may have shown another reason.
    async endRevoked() {
      if (tab.view.stage === 'in') await deleteNames(tab.view.owner, baseUrl)
      await signOutLocally(tab, 'key_revoked')
    },
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

/** After a sign-out nothing stays in the browser that names the owner's files, or is one of them. */
async function forgetFilesOf(owner: Owner, baseUrl: string): Promise<void> {
  // Before this page gives its lock back, and another takes over its work.
  await deleteWorks({ accountId: owner.accountId, baseUrl })
  ownerLeaves(owner)
  await deleteUploads({ accountId: owner.accountId, baseUrl }).catch(() => undefined)
  await deleteNames(owner, baseUrl)
  await endTaking({ accountId: owner.accountId, baseUrl }).catch(() => undefined)
}
