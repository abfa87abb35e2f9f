/** What a tab knows of its session, and how one takes the place of another. */
import { resumeOwner, type SessionListener } from '@blindkeep/client/account'
import type { Owner, TokenPair } from '@blindkeep/client/owner'
import { forgetUploadsOfOthers } from './albums/uploadStore.ts'
import { type Gate, pageEnvironment } from './environment.ts'
import { forgetSession, type KeptSession, loadSession, saveSession } from './keptSession.ts'
import { leave } from './left.ts'
import type { OutReason, SessionView } from './session.ts'
import { type TabLock, takeTabLock } from './tabLock.ts'

/** One sign-in of this tab. */
interface Present {
  readonly gate: Gate
  readonly listener: Required<SessionListener>
  /** Where the session is kept. */
  keeps: ((tokens: TokenPair) => Promise<void>) | undefined
  lock: TabLock | undefined
}

export interface Tab {
  readonly baseUrl: string
  readonly listeners: Set<() => void>
  /** Whether somebody was signed in here before a reload took the keys. */
  readonly wasIn: () => boolean
  view: SessionView
  present: Present | undefined
}

export function newTab(baseUrl: string): Tab {
  return { baseUrl, listeners: new Set(), wasIn, view: { stage: 'opening' }, present: undefined }
}

export function show(tab: Tab, view: SessionView): void {
  const { view: before } = tab
  tab.view = view
  if (before.stage === 'in' && (view.stage !== 'in' || view.owner !== before.owner)) leave(before.owner)
  remember(view.stage === 'in' && !view.isKept)
  for (const listener of tab.listeners) listener()
}

export function newPresent(tab: Tab): Present {
  const gate: Gate = { isClosed: false, isLeaving: false }
  const made: Present = {
    gate,
    keeps: undefined,
    lock: undefined,
    listener: {
      onTokens: async (tokens) => {
        // An answer that comes after the tab gave the session away: the other tab's tokens count.
        if (gate.isClosed) throw new TypeError('this tab has given its session away')
        await made.keeps?.(tokens)
      },
      onEnded: () => {
        // Of a sign-in that another has taken the place of, it is no news.
        if (tab.present === made) void stop(tab, 'ended')
      },
    },
  }
  return made
}

export async function stop(tab: Tab, reason: OutReason): Promise<void> {
  const wasKept = tab.present?.keeps !== undefined
  close(tab)
  if (wasKept) await forgetSession()
  show(tab, { stage: 'out', reason })
}

function close(tab: Tab): void {
  if (tab.present === undefined) return
  tab.present.gate.isClosed = true
  tab.present.lock?.release()
  tab.present = undefined
}

interface Entering {
  readonly owner: Owner
  readonly stay: boolean
}

export async function enter(tab: Tab, entering: Present, { owner, stay }: Entering): Promise<void> {
  close(tab)
  tab.present = entering
  await forgetUploadsOfOthers({ accountId: owner.accountId, baseUrl: tab.baseUrl }).catch(() => undefined)
  const isKept = stay && (await keep(tab, entering, owner))
  show(tab, { stage: 'in', owner, isKept, isKeepingRefused: stay && !isKept })
}

/** Resolves with whether the browser keeps it. */
async function keep(tab: Tab, entering: Present, owner: Owner): Promise<boolean> {
  const lock = await takeTabLock({ steal: true })
  if (lock === undefined) return false
  try {
    await saveSession({ accountKey: owner.accountKey, tokens: owner.tokens() })
  } catch {
    lock.release()
    return false
  }
  hold(tab, entering, { lock, accountKey: owner.accountKey })
  return true
}

/** Goes on with the session that is kept, in the tab that has the lock now. */
export async function resume(tab: Tab, lock: TabLock): Promise<void> {
  // Read with the lock held: the tab before may have changed it until then.
  const kept = await loadSession()
  if (kept === undefined) {
    lock.release()
    return show(tab, { stage: 'out', reason: undefined })
  }
  const { baseUrl } = tab
  const { accountKey, tokens } = kept
  const opened = newPresent(tab)
  const environment = pageEnvironment(opened.gate)
  const owner = resumeOwner({ baseUrl, accountKey, tokens, ...opened.listener, environment })
  tab.present = opened
  hold(tab, opened, { lock, accountKey })
  show(tab, { stage: 'in', owner, isKept: true, isKeepingRefused: false })
}

interface Held {
  readonly lock: TabLock
  readonly accountKey: KeptSession['accountKey']
}

/** From now on each new pair of tokens is kept, until another tab takes the session over. */
function hold(tab: Tab, holder: Present, { lock, accountKey }: Held): void {
  holder.lock = lock
  // Where the browser keeps nothing any more, the old pair must not stay either: the session goes on in this tab alone.
  holder.keeps = (tokens) => saveSession({ accountKey, tokens }).catch(forgetSession)
  void lock.lost.then(() => {
    if (tab.present !== holder) return
    holder.lock = undefined
    close(tab)
    show(tab, { stage: 'elsewhere', hasMoved: true })
  })
}

/** Beside the page's history, and no secret: says after a reload why nobody is signed in. */
const WAS_IN = 'blindkeep.wasSignedIn'

function remember(isIn: boolean): void {
  try {
    if (isIn) sessionStorage.setItem(WAS_IN, '1')
    else sessionStorage.removeItem(WAS_IN)
  } catch {
    // Then a reload is not explained.
  }
}

function wasIn(): boolean {
  try {
    return sessionStorage.getItem(WAS_IN) !== null
  } catch {
    return false
  }
}
