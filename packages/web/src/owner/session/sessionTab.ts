/** The state of a tab's session, and how it ends. */
import type { SessionListener } from '@blindkeep/client/account'
import type { TokenPair } from '@blindkeep/client/owner'
import { deleteSession } from '../browser/ownerStore.ts'
import { ownerLeaves } from '../ground/ownerLeave.ts'
import type { SessionView, SignedOutReason } from './sessionView.ts'
import type { TabLock } from './tabLock.ts'

/** A closed gate lets no request out: a tab whose session has moved to another tab must not use its tokens. */
export interface Gate {
  isClosed: boolean
  /** The page is closing: requests must outlive it. */
  isLeaving: boolean
}

/** How a session ends in this tab. */
interface End {
  readonly reason: SignedOutReason
  /** Deletes what must not stay in the browser. */
  readonly forget?: () => Promise<void>
}

const ENDED: End = { reason: 'ended' }

/** One sign-in of this tab. */
export interface SignIn {
  readonly gate: Gate
  readonly listener: Required<Pick<SessionListener, 'onTokens' | 'onEnded'>>
  /** Undefined when the session is not stored. */
  storeTokens: ((tokens: TokenPair) => Promise<unknown>) | undefined
  lock: TabLock | undefined
  /** How it ends when the server says that the session is over. Waits for a call that may have ended it (`endBy`). */
  end: Promise<End>
}

export interface Tab {
  readonly baseUrl: string
  readonly listeners: Set<() => void>
  /** Whether this tab was signed in before a reload lost the keys. */
  readonly wasIn: () => boolean
  view: SessionView
  signIn: SignIn | undefined
}

export function newTab(baseUrl: string): Tab {
  return { baseUrl, listeners: new Set(), wasIn, view: { stage: 'opening' }, signIn: undefined }
}

export function show(tab: Tab, view: SessionView): void {
  const { view: before } = tab
  tab.view = view
  if (before.stage === 'in' && (view.stage !== 'in' || view.owner !== before.owner)) ownerLeaves(before.owner)
  rememberSignedIn(view.stage === 'in' && !view.isStored)
  for (const listener of tab.listeners) listener()
}

export function newSignIn(tab: Tab): SignIn {
  const gate: Gate = { isClosed: false, isLeaving: false }
  const signIn: SignIn = {
    gate,
    storeTokens: undefined,
    lock: undefined,
    end: Promise.resolve(ENDED),
    listener: {
      onTokens: async (tokens) => {
        // The session has moved to another tab, whose tokens count.
        if (gate.isClosed) throw new TypeError('the session has moved to another tab')
        await signIn.storeTokens?.(tokens)
      },
      onEnded: () => void signIn.end.then((end) => signOutLocally(tab, signIn, end)),
    },
  }
  return signIn
}

/** Deletes the stored session, if it is this one, and shows why. Does not call the server. */
export async function signOutLocally(tab: Tab, signIn: SignIn, { reason, forget }: End): Promise<void> {
  // Otherwise it has ended already, another tab has it, or a newer sign-in has replaced it.
  const isPresent = tab.signIn === signIn
  if (isPresent) tab.signIn = undefined
  await forget?.()
  if (!isPresent) return
  shut(signIn)
  if (signIn.storeTokens !== undefined) await deleteSession()
  show(tab, { stage: 'out', reason })
}

/** From now on it sends nothing, and another tab may have the session. */
export function shut(signIn: SignIn): void {
  signIn.gate.isClosed = true
  signIn.lock?.release()
}

/** Shows nothing. */
export function close(tab: Tab): void {
  if (tab.signIn !== undefined) shut(tab.signIn)
  tab.signIn = undefined
}

/** Not secret. After a reload, the page can say why the owner is signed out. */
const WAS_IN = 'blindkeep.wasSignedIn'

function rememberSignedIn(isIn: boolean): void {
  try {
    if (isIn) sessionStorage.setItem(WAS_IN, '1')
    else sessionStorage.removeItem(WAS_IN)
  } catch {
    // Without session storage, a reload is not explained.
  }
}

function wasIn(): boolean {
  try {
    return sessionStorage.getItem(WAS_IN) !== null
  } catch {
    return false
  }
}
