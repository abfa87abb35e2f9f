/** How a session begins in a tab, by a sign-in or from the store, and how one session replaces another. */
import { resumeOwner } from '@blindkeep/client/account'
import type { Owner } from '@blindkeep/client/owner'
import { deleteSession, loadSession, saveSession } from '../browser/ownerStore.ts'
import { prefixStoreOf } from '../browser/sampleStore.ts'
import { requireSeenAccount, seenRevocationsOf } from '../browser/seenByBrowser.ts'
import type { StoredSession } from '../browser/storedSession.ts'
import { deleteNamesOfOthers } from '../find/nameIndex.ts'
import { endPushOfOthers } from '../push/browserPush.ts'
import { endTakingOfOthers } from '../take/taking.ts'
import { deleteUploadsOfOthers } from '../uploads/uploadStore.ts'
import { deleteWorksOfOthers } from '../work/workStore.ts'
import { pageEnvironment } from './pageEnvironment.ts'
import { close, newSignIn, type SignIn, show, type Tab } from './sessionTab.ts'
import { requestTabLock, type TabLock } from './tabLock.ts'

interface Entering {
  readonly owner: Owner
  /** The owner wants to stay signed in. */
  readonly stay: boolean
}

/** Throws `AccountError` when the account is not the one that this browser knows by its key; the session then ends. */
export async function enter(tab: Tab, signIn: SignIn, { owner, stay }: Entering): Promise<void> {
  try {
    await requireSeenAccount(owner)
  } catch (error) {
    await owner.logOut().catch(() => undefined)
    throw error
  }
  owner.keepRevocations(seenRevocationsOf(owner))
  owner.keepPrefixes(prefixStoreOf(owner))
  close(tab)
  tab.signIn = signIn
  const { baseUrl } = tab
  const { accountId } = owner
  await deleteUploadsOfOthers({ accountId, baseUrl }).catch(() => undefined)
  await deleteWorksOfOthers({ accountId, baseUrl })
  await deleteNamesOfOthers({ accountId, baseUrl })
  await endPushOfOthers({ accountId, baseUrl }).catch(() => undefined)
  await endTakingOfOthers({ accountId, baseUrl }).catch(() => undefined)
  const isStored = stay && (await store(tab, signIn, owner))
  show(tab, { stage: 'in', owner, isStored, isStoringRefused: stay && !isStored })
}

/** Resolves with whether the browser has stored the session. */
async function store(tab: Tab, signIn: SignIn, owner: Owner): Promise<boolean> {
  const { email, accountKey } = owner
  const lock = await requestTabLock({ steal: true })
  if (lock === undefined) return false
  try {
    await saveSession({ email, accountKey, tokens: owner.tokens() })
  } catch {
    lock.release()
    return false
  }
  storeFromNow(tab, signIn, { lock, email, accountKey })
  return true
}

/** Resumes the stored session in this tab, which has the lock. */
export async function resume(tab: Tab, lock: TabLock): Promise<void> {
  // Read only with the lock: the tab that had it before may have changed the session.
  const stored = await loadSession()
  if (stored === undefined) {
    lock.release()
    return show(tab, { stage: 'out', reason: undefined })
  }
  const { baseUrl } = tab
  const { email, accountKey, tokens } = stored
  const signIn = newSignIn(tab)
  const environment = pageEnvironment(signIn.gate)
  const owner = resumeOwner({ baseUrl, email, accountKey, tokens, ...signIn.listener, environment })
  owner.keepRevocations(seenRevocationsOf(owner))
  owner.keepPrefixes(prefixStoreOf(owner))
  tab.signIn = signIn
  storeFromNow(tab, signIn, { lock, email, accountKey })
  show(tab, { stage: 'in', owner, isStored: true, isStoringRefused: false })
}

interface StoringParts extends Pick<StoredSession, 'email' | 'accountKey'> {
  readonly lock: TabLock
}

/** Stores each new pair of tokens, until another tab takes over the session. */
function storeFromNow(tab: Tab, signIn: SignIn, { lock, email, accountKey }: StoringParts): void {
  signIn.lock = lock
  // When storing fails, the old tokens must not stay stored: the session then continues in this tab only.
  signIn.storeTokens = (tokens) => saveSession({ email, accountKey, tokens }).catch(deleteSession)
  void lock.stolen.then(() => {
    if (tab.signIn !== signIn) return
    signIn.lock = undefined
    close(tab)
    show(tab, { stage: 'elsewhere', hasMoved: true })
  })
}
