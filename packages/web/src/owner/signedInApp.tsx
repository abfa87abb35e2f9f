/** Everything of somebody who is signed in: the connection for what changes, and the shell around the pages. */
import type { LiveEvent, Owner } from '@blindkeep/client/owner'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Language } from '../common/language.ts'
import { useLoaded } from '../common/useLoaded.ts'
import { type OwnerPages, OwnerPagesContext } from './context.ts'
import { useLiveEvents } from './live.ts'
import type { PageSession } from './session.ts'
import { Shell } from './shell.tsx'
import { ownerText } from './texts.ts'

interface SignedInAppProps {
  readonly baseUrl: string
  readonly owner: Owner
  readonly session: PageSession
  readonly language: Language
  readonly onLanguage: (language: Language) => void
  readonly tell: OwnerPages['tell']
}

export function SignedInApp({ baseUrl, owner, session, language, onLanguage, ...props }: SignedInAppProps) {
  const tell = useWhileHere(props.tell)
  const live = useLiveEvents(owner)
  const waiting = useWaiting(owner, live.onLive)
  const account = useLoaded(() => owner.account(), owner.accountId)
  const pages = useMemo(
    () => ({ owner, baseUrl, language, onLive: live.onLive, tell }),
    [owner, baseUrl, language, live.onLive, tell],
  )
  useEffect(() => {
    const text = ownerText(language)
    document.title = waiting > 0 ? text.titleWithCount(waiting) : text.title
  }, [waiting, language])
  return (
    <OwnerPagesContext.Provider value={pages}>
      <Shell
        language={language}
        onLanguage={onLanguage}
        session={session}
        waiting={waiting}
        isConnected={live.isConnected}
        isReady={live.isReady}
        isSuspended={account.value?.isSuspended === true}
      />
    </OwnerPagesContext.Provider>
  )
}

/** Work that ends after somebody has signed out tells the next person nothing. */
function useWhileHere(tell: OwnerPages['tell']): OwnerPages['tell'] {
  const isHere = useRef(true)
  useEffect(
    () => () => {
      isHere.current = false
    },
    [],
  )
  return useCallback((message) => isHere.current && tell(message), [tell])
}

const COUNTED: readonly LiveEvent['name'][] = ['drop.landed', 'drop.adopted', 'drop.discarded', 'link.changed', 'reset']

/** How many files wait in the inbox: what the links say of it, as that takes one short call and opens nothing. */
function useWaiting(owner: Owner, onLive: OwnerPages['onLive']): number {
  const [waiting, setWaiting] = useState(0)
  const asking = useRef<{ isUnderWay: boolean; isAskedAgain: boolean }>({ isUnderWay: false, isAskedAgain: false })
  useEffect(() => {
    let isGone = false
    const count = async () => {
      // One call at a time: what changes meanwhile is counted by the next.
      if (asking.current.isUnderWay) {
        asking.current.isAskedAgain = true
        return
      }
      asking.current = { isUnderWay: true, isAskedAgain: false }
      const links = await owner.listLinks().catch(() => undefined)
      const isAskedAgain = asking.current.isAskedAgain
      asking.current = { isUnderWay: false, isAskedAgain: false }
      if (isGone) return
      if (links !== undefined) setWaiting(links.reduce((sum, { pending }) => sum + pending, 0))
      if (isAskedAgain) void count()
    }
    void count()
    const stop = onLive((event) => {
      if (COUNTED.includes(event.name)) void count()
    })
    return () => {
      isGone = true
      stop()
    }
  }, [owner, onLive])
  return waiting
}
