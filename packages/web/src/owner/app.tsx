/** The owner's page: sign-in, the notice that another tab has the session, or all pages. */
import { createCalls, serverIdOf } from '@blindkeep/client/call'
import { AddressError } from '@blindkeep/client/errors'
import { askSite } from '@blindkeep/client/site'
import type { GivenInvite } from '@blindkeep/protocol/inviteLink'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../common/controls/controls.tsx'
import { useText } from '../common/language/reader.ts'
import { useLoaded } from '../common/work/useLoaded.ts'
import { RecoverPage } from './account/recoverPage.tsx'
import { RegisterPage } from './account/registerPage.tsx'
import { SignedOutFrame } from './account/signedOutFrame.tsx'
import { SignInPage } from './account/signInPage.tsx'
import { useInvite } from './account/useInvite.ts'
import { errorTexts } from './ground/errorText.ts'
import { SiteContext } from './ground/ownerPages.ts'
import { useRoute } from './ground/route.ts'
import { accountTexts, ownerTexts } from './ground/texts.ts'
import type { PageSession } from './session/session.ts'
import type { SessionView } from './session/sessionView.ts'
import { SignedInApp } from './signedInApp.tsx'
import { ToastList, useToasts } from './toasts.tsx'
import './owner.css'

interface AppProps {
  readonly baseUrl: string
  readonly session: PageSession
}

export function App({ baseUrl, session }: AppProps) {
  const accountText = useText(accountTexts)
  const ownerText = useText(ownerTexts)
  const view = useSessionView(session)
  const toasts = useToasts()
  const invite = useInvite()
  useEffect(() => {
    if (view.stage === 'in' && view.isStoringRefused) toasts.showMessage({ tone: 'bad', text: accountText.stayRefused })
    if (view.stage === 'in') return
    document.title = ownerText.title
    // Messages may name files of the owner who was signed in.
    toasts.clear()
  }, [view])
  return (
    <>
      {view.stage === 'in' ? (
        <SignedInApp
          key={view.owner.tokens().accountId}
          baseUrl={baseUrl}
          owner={view.owner}
          session={session}
          showMessage={toasts.showMessage}
        />
      ) : (
        <WithSite baseUrl={baseUrl}>
          <SignedOut baseUrl={baseUrl} view={view} session={session} invite={invite} showMessage={toasts.showMessage} />
        </WithSite>
      )}
      <ToastList toasts={toasts.toasts} dismiss={toasts.dismiss} />
    </>
  )
}

interface WithSiteProps {
  readonly baseUrl: string
  readonly children: ComponentChildren
}

function WithSite({ baseUrl, children }: WithSiteProps) {
  const { value } = useLoaded(() => askSite(baseUrl))
  return <SiteContext.Provider value={value}>{children}</SiteContext.Provider>
}

interface SignedOutViewProps {
  readonly baseUrl: string
  readonly view: Exclude<SessionView, { readonly stage: 'in' }>
  readonly session: PageSession
  readonly invite: GivenInvite | undefined
  readonly showMessage: ReturnType<typeof useToasts>['showMessage']
}

function SignedOut({ baseUrl, view, session, invite, showMessage }: SignedOutViewProps) {
  const text = useText(ownerTexts)
  const route = useRoute()
  const errorText = useText(errorTexts)
  const [isRegistering, setRegistering] = useState(false)
  const { error } = useLoaded(() => serverIdOf(createCalls({ baseUrl })))
  const props = { newAttempt: session.newAttempt, showMessage }
  if (!isSecureContext)
    return (
      <SignedOutFrame title={text.insecure.title}>
        <p>{text.insecure.explain}</p>
      </SignedOutFrame>
    )
  if (view.stage === 'opening')
    return (
      <main class="opening">
        <p role="status">{text.opening}</p>
      </main>
    )
  if (view.stage === 'elsewhere')
    return (
      <SignedOutFrame title={view.hasMoved ? text.elsewhere.movedTitle : text.elsewhere.title} wide>
        <p>{text.elsewhere.explain}</p>
        <div>
          <Button kind="primary" onClick={() => void session.open({ steal: true })}>
            {text.elsewhere.use}
          </Button>
        </div>
        <p class="soft">{text.elsewhere.close}</p>
      </SignedOutFrame>
    )
  // Before a secret is typed. The address is no link, as nothing vouches for it.
  if (error instanceof AddressError && !isRegistering)
    return (
      <SignedOutFrame title={text.otherAddress}>
        <p>{errorText(error)}</p>
      </SignedOutFrame>
    )
  if (route.signedOutPage === 'register' || isRegistering)
    return <RegisterPage key={invite?.code} {...props} invite={invite} onCreated={() => setRegistering(true)} />
  if (route.signedOutPage === 'recover') return <RecoverPage {...props} />
  return <SignInPage {...props} baseUrl={baseUrl} reason={view.reason} />
}

function useSessionView(session: PageSession): SessionView {
  const [view, setView] = useState(session.view)
  useEffect(() => {
    const read = () => setView(session.view())
    read()
    return session.subscribe(read)
  }, [session])
  return view
}
