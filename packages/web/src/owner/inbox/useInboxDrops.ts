import { NetworkError } from '@blindkeep/client/errors'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { createInboxDrops, EMPTY_INBOX, type InboxDrops, type InboxSnapshot } from './inboxDrops.ts'

/** The inbox while shown. A list that failed without a connection is repeated when the browser is online. */
export function useInboxDrops(): { readonly inbox: InboxDrops; readonly snapshot: InboxSnapshot } {
  const { owner, onLive } = useOwnerPages()
  const [snapshot, setSnapshot] = useState(EMPTY_INBOX)
  const inbox = useMemo(() => createInboxDrops({ owner, onChange: setSnapshot }), [owner])
  const isOffline = snapshot.error instanceof NetworkError
  useEffect(() => {
    const stopFollowing = onLive(inbox.follow)
    inbox.reload()
    return () => {
      stopFollowing()
      inbox.stop()
    }
  }, [inbox, onLive])
  useEffect(() => {
    if (!isOffline) return undefined
    window.addEventListener('online', inbox.reload)
    return () => window.removeEventListener('online', inbox.reload)
  }, [inbox, isOffline])
  return { inbox, snapshot }
}
