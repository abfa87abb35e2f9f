/** What ends this tab's session by the owner's own call, and what the browser then forgets of the account. */

import { systemEnvironment } from '@blindkeep/client/environment'
import { isTransient, mayBeDone, ProblemError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { deleteNames } from '../find/nameIndex.ts'
import { ownerLeaves } from '../ground/ownerLeave.ts'
import { endPush } from '../push/browserPush.ts'
import { endTaking } from '../take/taking.ts'
import { deleteUploads } from '../uploads/uploadStore.ts'
import { deleteWorks } from '../work/workStore.ts'
import { type SignIn, signOutLocally, type Tab } from './sessionTab.ts'
import type { SignedOutReason } from './sessionView.ts'

/** The owner deletes the account, or revokes the key of this browser. */
export type OwnEnding = 'deletion' | 'revocation'

interface Ending {
  readonly done: SignedOutReason
  /** The session is over, and the answer to the call was lost. */
  readonly lost: SignedOutReason
  readonly forget: (owner: Owner, baseUrl: string) => Promise<void>
}

const ENDINGS: Readonly<Record<OwnEnding, Ending>> = {
  deletion: {
    done: 'deleted',
    lost: 'deletion_unsure',
    async forget(owner, baseUrl) {
      await forgetFilesOf(owner, baseUrl)
      await endPush({ baseUrl })
    },
  },
  revocation: { done: 'key_revoked', lost: 'revocation_unsure', forget: deleteNames },
}

/**
 * Makes a call that ends the session, then shows why it is over and forgets what belongs to it. The server may end the
 * session before its answer arrives: what is shown of an end waits for the outcome of the call. Throws what the call
 * throws. When its answer was lost, the tab is signed out as soon as the server says that the session is over.
 */
export async function endBy(tab: Tab, ending: OwnEnding, call: () => Promise<void>): Promise<void> {
  const { signIn, view, baseUrl } = tab
  if (signIn === undefined || view.stage !== 'in') return await call()
  const { owner } = view
  const { done, lost, forget } = ENDINGS[ending]
  const endOf = (reason: SignedOutReason) => ({ reason, forget: () => forget(owner, baseUrl) })
  // Of a session that was over before, the refusal of the call would look like a lost answer.
  await owner.account()
  // An earlier call, too, may be without an answer.
  const { end } = signIn
  const called = call()
  signIn.end = called.then(
    () => endOf(done),
    async (error) => (mayHaveEnded(error) && (await isOver(signIn, owner)) ? endOf(lost) : await end),
  )
  await called
  await signOutLocally(tab, signIn, endOf(done))
}

/** A browser sends a lost DELETE again by itself, and is refused if the first one has ended the session. */
const mayHaveEnded = (error: unknown) => mayBeDone(error) || isRefusedSession(error)

const isRefusedSession = (error: unknown) => error instanceof ProblemError && error.status === 401

const ASK_AGAIN_MS = 5_000

/** Asks until the server answers or the tab has left. */
async function isOver({ gate }: SignIn, owner: Owner): Promise<boolean> {
  while (!gate.isClosed) {
    try {
      await owner.account()
      return false
    } catch (error) {
      if (!isTransient(error)) return isRefusedSession(error)
    }
    await systemEnvironment.wait(ASK_AGAIN_MS)
  }
  return false
}

/** After a sign-out nothing stays in the browser that names the owner's files, or is one of them. */
export async function forgetFilesOf(owner: Owner, baseUrl: string): Promise<void> {
  // Before this page gives its lock back, and another takes over its work.
  await deleteWorks({ accountId: owner.accountId, baseUrl })
  ownerLeaves(owner)
  await deleteUploads({ accountId: owner.accountId, baseUrl }).catch(() => undefined)
  await deleteNames(owner, baseUrl)
  await endTaking({ accountId: owner.accountId, baseUrl }).catch(() => undefined)
}
