/** The visits of the inbox, for the page of the inbox, and what the badge counts as new. */
import { isAfter, isReadDrop, laterOf } from '@blindkeep/client/findIndex'
import type { DropFacts, Owner } from '@blindkeep/client/owner'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { OwnerPages } from '../ground/ownerPages.ts'
import { type Visits, type VisitView, visitsOf } from './visits.ts'

/** What a row shows of a file. */
export type DropMark = 'new' | 'unread'

export function markOf(view: VisitView, drop: DropFacts): DropMark | undefined {
  if (!view.isLoaded || isReadDrop(view, drop)) return undefined
  return isAfter(drop.receivedAt, view.newSince) ? 'new' : 'unread'
}

/** While the inbox is shown and looked at, its newest file is no longer new at the next visit. */
export function useVisit(
  { owner, baseUrl }: Pick<OwnerPages, 'owner' | 'baseUrl'>,
  drops: readonly DropFacts[],
): { readonly visits: Visits; readonly view: VisitView } {
  const visits = visitsOf(owner, baseUrl)
  const view = useView(visits)
  const newest = useMemo(() => newestOf(drops), [drops])
  useEffect(() => {
    const look = () => {
      if (newest !== undefined && view.isLoaded && document.visibilityState === 'visible') visits.look(newest)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [visits, newest, view.isLoaded])
  useEffect(() => () => visits.leave(), [visits])
  return { visits, view }
}

export function newestOf(drops: readonly DropFacts[]): string | undefined {
  return drops.reduce<string | undefined>((newest, { receivedAt }) => laterOf(newest, receivedAt), undefined)
}

function useView(visits: Visits): VisitView {
  const [view, setView] = useState(visits.view)
  useEffect(() => {
    const show = () => setView(visits.view())
    show()
    return visits.subscribe(show)
  }, [visits])
  return view
}

/** More are not counted: each page of the inbox is a request. */
export const MAX_COUNTED = 999

/**
 * How many files are new, and not read; more than `MAX_COUNTED` for any larger number. Before the first visit all are
 * new: their number is the sum over the links, which is one short call.
 */
export async function countNew(
  owner: Pick<Owner, 'listLinks' | 'pendingDrops'>,
  view: Pick<VisitView, 'newSince' | 'readUntil' | 'read'>,
): Promise<number> {
  const since = laterOf(view.newSince, view.readUntil)
  if (since === undefined) {
    const waiting = (await owner.listLinks()).reduce((sum, { pending }) => sum + pending, 0)
    return Math.max(0, waiting - view.read.size)
  }
  let count = 0
  for await (const page of owner.pendingDrops({ order: 'newest' }))
    for (const drop of page) {
      if (!isAfter(drop.receivedAt, since) || count > MAX_COUNTED) return count
      if (!view.read.has(drop.dropId)) count++
    }
  return count
}
