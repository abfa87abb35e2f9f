/** The app of a signed-in owner: the live connection, and the shell around the pages. */
import type { Owner } from '@blindkeep/client/owner'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { hasMoved } from '../common/address/hasMoved.ts'
import { useText } from '../common/language/reader.ts'
import { useCloseGuard } from '../common/work/closeGuard.ts'
import { useLoaded } from '../common/work/useLoaded.ts'
import { errorTexts } from './ground/errorText.ts'
import { type OwnerPages, OwnerPagesContext, type UnsavedSecrets } from './ground/ownerPages.ts'
import { accountTexts, ownerTexts } from './ground/texts.ts'
import { useLiveEvents } from './live.ts'
import { useNavigationMarks } from './navigationMarks.ts'
import { usePush } from './push/usePush.ts'
import type { PageSession } from './session/session.ts'
import { useTiedSession } from './session/tiedSession.ts'
import { Shell } from './shell.tsx'
import { wakeUploads } from './uploads/uploads.ts'
import { wakeWork } from './work/work.ts'

interface SignedInAppProps {
  readonly baseUrl: string
  readonly owner: Owner
  readonly session: PageSession
  readonly showMessage: OwnerPages['showMessage']
}

export function SignedInApp({ baseUrl, owner, session, ...props }: SignedInAppProps) {
  const accountText = useText(accountTexts)
  const errorText = useText(errorTexts)
  const ownerText = useText(ownerTexts)
  const showMessage = useWhileMounted(props.showMessage)
  const live = useLiveEvents(owner)
  useEffect(() => {
    if (!live.isConnected) return
    wakeUploads(owner)
    wakeWork(owner)
  }, [owner, live.isConnected])
  const marks = useNavigationMarks({ owner, baseUrl, onLive: live.onLive })
  const { newFiles } = marks
  const account = useLoaded(() => owner.account(), owner.accountId)
  const view = session.view()
  usePush({ owner, baseUrl, showMessage })
  useTiedSession(owner, {
    isStored: view.stage === 'in' && view.isStored,
    onRefused: (error) => {
      if (!hasMoved(error)) showMessage({ tone: 'bad', text: accountText.tieRefused(errorText(error)) })
    },
  })
  const [unsaved, setUnsaved] = useState<UnsavedSecrets>({})
  const onUnsaved = useCallback((change: UnsavedSecrets) => setUnsaved((last) => ({ ...last, ...change })), [])
  useCloseGuard(Object.values(unsaved).some((secret) => secret !== undefined))
  const pages = useMemo(
    () => ({ owner, baseUrl, unsaved, onUnsaved, reloadAccount: account.reload, onLive: live.onLive, showMessage }),
    [owner, baseUrl, unsaved, account.reload, live.onLive, showMessage],
  )
  useEffect(() => {
    document.title = newFiles > 0 ? ownerText.titleWithCount(newFiles) : ownerText.title
  }, [newFiles, ownerText])
  return (
    <OwnerPagesContext.Provider value={pages}>
      <Shell
        session={session}
        marks={marks}
        isConnected={live.isConnected}
        isReady={live.isReady}
        hasMoved={live.hasMoved}
        isSuspended={account.value?.isSuspended === true}
        areWordsUnconfirmed={account.value?.recoveryWords === 'unconfirmed'}
      />
    </OwnerPagesContext.Provider>
  )
}

/** Work that ends after a sign-out must not show messages to the next owner. */
function useWhileMounted(showMessage: OwnerPages['showMessage']): OwnerPages['showMessage'] {
  const isMounted = useRef(true)
  useEffect(
    () => () => {
      isMounted.current = false
    },
    [],
  )
  return useCallback((message) => isMounted.current && showMessage(message), [showMessage])
}
