/** What is new since the last visit of the inbox in this browser, and what was read. Kept current for all pages. */
import { type InboxVisits, laterOf, mergedVisits, NO_VISITS, openVisits, sealVisits } from '@blindkeep/client/findIndex'
import type { Owner } from '@blindkeep/client/owner'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import type { DropId } from '@blindkeep/protocol/ids'
import { keepSealedVisits, sealedVisitsOf } from '../browser/seenByBrowser.ts'
import { onOwnerLeave } from '../ground/ownerLeave.ts'

export interface VisitView extends InboxVisits {
  readonly isLoaded: boolean
  /** Files that landed later are new, RFC 3339; all are before the first visit. */
  readonly newSince: string | undefined
}

export interface Visits {
  view(): VisitView
  subscribe(listener: () => void): () => void
  /** The page shows files that landed until then: they are not new at the next visit. */
  look(until: string): void
  /** The visit is over. */
  leave(): void
  markRead(dropIds: readonly DropId[]): void
  markAllRead(until: string): void
}

/** Since when files are new in this tab, sealed: a reload does not end the visit. */
const VISIT = 'blindkeep.visit'
/** Before the first visit. */
const EVER = '1970-01-01T00:00:00Z'

type VisitOwner = Pick<Owner, 'accountId' | 'accountKey'>

function createVisits(owner: VisitOwner, baseUrl: string): Visits & { close(): void } {
  const seal = { accountKey: owner.accountKey, accountId: owner.accountId, baseUrl }
  const listeners = new Set<() => void>()
  let view: VisitView = { ...NO_VISITS, isLoaded: false, newSince: undefined }
  let work = load().catch(() => undefined)
  let isClosed = false

  function show(change: Partial<VisitView>): void {
    view = { ...view, ...change }
    for (const listener of listeners) listener()
  }

  async function load(): Promise<void> {
    const stored = await openVisits(await sealedVisitsOf(owner), seal)
    const { lookedUntil: begun = stored.lookedUntil } = await openVisits(sealedVisit(), seal)
    await begin(begun === EVER ? undefined : begun, { ...mergedVisits(stored, view), isLoaded: true })
  }

  async function begin(newSince: string | undefined, change: Partial<VisitView> = {}): Promise<void> {
    show({ ...change, newSince })
    const sealed = await sealVisits({ ...NO_VISITS, lookedUntil: newSince ?? EVER }, seal)
    if (!isClosed) keepVisit(toHex(sealed))
  }

  /** Another tab may have stored more. */
  async function store(): Promise<void> {
    if (isClosed) return
    const merged = mergedVisits(await openVisits(await sealedVisitsOf(owner), seal), view)
    await keepSealedVisits(owner, await sealVisits(merged, seal))
  }

  function change(by: Partial<InboxVisits>): void {
    show(mergedVisits(view, { ...NO_VISITS, ...by }))
    work = work.then(store).catch(() => undefined)
  }

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    look(lookedUntil) {
      if (laterOf(view.lookedUntil, lookedUntil) !== view.lookedUntil) change({ lookedUntil })
    },
    leave() {
      if (view.isLoaded && view.newSince !== view.lookedUntil) void begin(view.lookedUntil)
    },
    markRead(dropIds) {
      if (dropIds.some((dropId) => !view.read.has(dropId))) change({ read: new Set(dropIds) })
    },
    markAllRead: (readUntil) => change({ readUntil }),
    close() {
      isClosed = true
      keepVisit(undefined)
    },
  }
}

function sealedVisit(): Uint8Array | undefined {
  try {
    const kept = sessionStorage.getItem(VISIT)
    return kept === null ? undefined : fromHex(kept)
  } catch {
    return undefined
  }
}

/** In a browser that stores nothing, a reload ends the visit. */
function keepVisit(sealed: string | undefined): void {
  try {
    if (sealed === undefined) sessionStorage.removeItem(VISIT)
    else sessionStorage.setItem(VISIT, sealed)
  } catch {
    // A browser may refuse to store.
  }
}

const all = new WeakMap<Owner, Visits>()

/** The same for all pages of the owner. */
export function visitsOf(owner: Owner, baseUrl: string): Visits {
  const known = all.get(owner)
  if (known !== undefined) return known
  const visits = createVisits(owner, baseUrl)
  onOwnerLeave(owner, visits.close)
  all.set(owner, visits)
  return visits
}
