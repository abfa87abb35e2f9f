/** What the navigation shows beside its names: new files of the inbox, and links that have refused files. */
import type { LiveEvent } from '@blindkeep/client/owner'
import { useEffect, useState } from 'preact/hooks'
import { createRefresher } from '../common/work/refresher.ts'
import type { OwnerPages } from './ground/ownerPages.ts'
import { countNew } from './inbox/useVisit.ts'
import { visitsOf } from './inbox/visits.ts'
import { mayChangeMark, refusedIn } from './links/refusedLinks.ts'

export interface NavigationMarks {
  /** More than `MAX_COUNTED` for any larger number. */
  readonly newFiles: number
  readonly refusedLinks: number
}

const COUNT_EVENTS: readonly LiveEvent['name'][] = [
  'drop.landed',
  'drop.adopted',
  'drop.discarded',
  'link.changed',
  'reset',
]

type MarksOf = Pick<OwnerPages, 'owner' | 'baseUrl' | 'onLive'>

export function useNavigationMarks({ owner, baseUrl, onLive }: MarksOf): NavigationMarks {
  const [newFiles, setNewFiles] = useState(0)
  const [refusedLinks, setRefusedLinks] = useState(0)
  const visits = visitsOf(owner, baseUrl)
  useEffect(() => {
    let [isUnmounted, isMarked, isMarkDue] = [false, false, true]
    const { ask, stop } = createRefresher(async () => {
      // Both may need the links: they are listed once.
      let listed: ReturnType<typeof owner.listLinks> | undefined
      const links = () => (listed ??= owner.listLinks())
      if (isMarkDue) {
        isMarkDue = false
        const refused = await links().then(refusedIn, () => undefined)
        if (isUnmounted) return
        if (refused === undefined) isMarkDue = true
        else {
          isMarked = refused > 0
          setRefusedLinks(refused)
        }
      }
      if (!visits.view().isLoaded) return
      const { pendingDrops } = owner
      const counted = await countNew({ listLinks: links, pendingDrops }, visits.view()).catch(() => undefined)
      if (!isUnmounted && counted !== undefined) setNewFiles(counted)
    })
    ask()
    const leave = onLive(({ name }) => {
      isMarkDue ||= mayChangeMark(name, isMarked)
      if (isMarkDue || COUNT_EVENTS.includes(name)) ask()
    })
    const unsubscribe = visits.subscribe(ask)
    return () => {
      isUnmounted = true
      leave()
      unsubscribe()
      stop()
    }
  }, [owner, visits, onLive])
  return { newFiles, refusedLinks }
}
