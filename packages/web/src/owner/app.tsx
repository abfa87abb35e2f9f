/** Which of the owner's pages stands: a way in, the tab that stepped back, or everything of somebody who is signed in. */
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../common/controls.tsx'
import { type Language, presentLanguage } from '../common/language.ts'
import { DoorFrame } from './account/doorFrame.tsx'
import { RecoverPage } from './account/recoverPage.tsx'
import { RegisterPage } from './account/registerPage.tsx'
import { SignInPage } from './account/signInPage.tsx'
import { useRoute } from './route.ts'
import type { PageSession, SessionView } from './session.ts'
import { SignedInApp } from './signedInApp.tsx'
import { accountText, ownerText } from './texts.ts'
import { ToastList, useToasts } from './toasts.tsx'
import './owner.css'

interface AppProps {
  readonly baseUrl: string
  readonly session: PageSession
}

export function App({ baseUrl, session }: AppProps) {
  const [language, setLanguage] = useState<Language>(presentLanguage)
  const view = useSession(session)
  const toasts = useToasts()
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  useEffect(() => {
    if (view.stage === 'in' && view.isKeepingRefused)
      toasts.tell({ tone: 'bad', text: accountText(language).stayRefused })
    if (view.stage === 'in') return
    document.title = ownerText(language).title
    // They name files of whoever was signed in.
    toasts.clear()
  }, [view])
  const languages = { language, onLanguage: setLanguage }
  return (
    <>
      {view.stage === 'in' ? (
        <SignedInApp
          key={view.owner.tokens().accountId}
          {...languages}
          baseUrl={baseUrl}
          owner={view.owner}
          session={session}
          tell={toasts.tell}
        />
      ) : (
        <Outside view={view} session={session} tell={toasts.tell} {...languages} />
      )}
      <ToastList toasts={toasts.toasts} dismiss={toasts.dismiss} language={language} />
    </>
  )
}

interface OutsideProps {
  readonly view: Exclude<SessionView, { readonly stage: 'in' }>
  readonly session: PageSession
  readonly tell: ReturnType<typeof useToasts>['tell']
  readonly language: Language
  readonly onLanguage: (language: Language) => void
}

function Outside({ view, session, tell, ...languages }: OutsideProps) {
  const text = ownerText(languages.language)
  const route = useRoute()
  const [isHeld, setHeld] = useState(false)
  const door = { ...languages, newEntrance: session.entrance, tell }
  if (!isSecureContext)
    return (
      <DoorFrame title={text.insecure.title} {...languages}>
        <p>{text.insecure.explain}</p>
      </DoorFrame>
    )
  if (view.stage === 'opening')
    return (
      <main class="opening">
        <p role="status">{text.opening}</p>
      </main>
    )
  if (view.stage === 'elsewhere')
    return (
      <DoorFrame title={view.hasMoved ? text.elsewhere.movedTitle : text.elsewhere.title} wide {...languages}>
        <p>{text.elsewhere.explain}</p>
        <div>
          <Button kind="primary" onClick={() => void session.open({ steal: true })}>
            {text.elsewhere.use}
          </Button>
        </div>
        <p class="soft">{text.elsewhere.close}</p>
      </DoorFrame>
    )
  if (route.door === 'register' || isHeld)
    return <RegisterPage {...door} invite={route.query.get('invite') ?? undefined} onHold={() => setHeld(true)} />
  if (route.door === 'recover') return <RecoverPage {...door} />
  return <SignInPage {...door} reason={view.reason} />
}

function useSession(session: PageSession): SessionView {
  const [view, setView] = useState(session.view)
  useEffect(() => {
    const read = () => setView(session.view())
    read()
    return session.subscribe(read)
  }, [session])
  return view
}
