import { NetworkError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { type NewRecoveryWords, newRecoveryWords } from '@blindkeep/client/recovery'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Field, Notice } from '../../common/controls.tsx'
import { useBusy } from '../busy.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { focusFault } from '../focusFault.ts'
import { goTo } from '../route.ts'
import { accountText } from '../texts.ts'
import { type Action, useAction } from '../useAction.ts'
import { EmailField, isEmail, StayCheck, Working } from './doorFields.tsx'
import { DoorFrame, type DoorProps } from './doorFrame.tsx'
import { isAcceptable, NewPasswordFields } from './passwordField.tsx'
import { asksForInvite, register, type Tries } from './registration.ts'
import { WordsSteps } from './wordsSteps.tsx'

interface RegisterPageProps extends DoorProps {
  /** Out of the address, where somebody was sent one. */
  readonly invite: string | undefined
  /** From now on the page must stay, whatever the address says: it holds words that are nowhere else. */
  readonly onHold: () => void
}

/** An account that is made, and what is not yet shown of it. */
interface Made {
  readonly email: string
  readonly recovery: NewRecoveryWords
  readonly enter: () => Promise<void>
}

export function RegisterPage({ language, onLanguage, newEntrance, tell, invite, onHold }: RegisterPageProps) {
  const text = accountText(language)
  const [made, setMade] = useState<Made>()
  const [words, setWords] = useState<readonly string[]>()
  const checking = useAction()
  const finish = async (enter: () => Promise<void>) => {
    goTo('inbox')
    await enter()
    tell({ tone: 'good', text: text.words.done })
  }
  const check = ({ recovery }: Made) => void checking.run(async () => setWords(await recovery.confirm()))
  if (made === undefined)
    return (
      <DoorFrame title={text.register.title} language={language} onLanguage={onLanguage}>
        <RegisterForm
          language={language}
          newEntrance={newEntrance}
          invite={invite}
          onMade={(next) => {
            onHold()
            setMade(next)
            check(next)
          }}
        />
        <a class="button quiet" href="#/">
          {text.register.signIn}
        </a>
      </DoorFrame>
    )
  if (words === undefined)
    return (
      <DoorFrame title={text.words.title} wide language={language} onLanguage={onLanguage}>
        <Checking
          action={checking}
          language={language}
          onRetry={() => check(made)}
          onWithout={() => void finish(made.enter)}
        />
      </DoorFrame>
    )
  return (
    <WordsSteps
      words={words}
      email={made.email}
      language={language}
      onLanguage={onLanguage}
      onDone={() => void finish(made.enter)}
    />
  )
}

interface CheckingProps extends Pick<DoorProps, 'language'> {
  readonly action: Action
  readonly onRetry: () => void
  readonly onWithout: () => void
}

/** The words are shown only when it is certain that they open the account, so an answer that does not come is asked for again. */
function Checking({ action, language, onRetry, onWithout }: CheckingProps) {
  const text = accountText(language).register
  useBusy(true)
  if (action.error === undefined) return <p role="status">{text.checking}</p>
  return (
    <>
      <Notice tone="warn">{text.checkFailed}</Notice>
      <ErrorNotice error={action.error} language={language} onRetry={onRetry} />
      <div class="stack tight">
        <div>
          <Button onClick={onWithout}>{text.withoutWords}</Button>
        </div>
        <p class="small soft">{text.withoutWordsHint}</p>
      </div>
    </>
  )
}

interface RegisterFormProps extends Pick<DoorProps, 'language' | 'newEntrance'> {
  readonly invite: string | undefined
  readonly onMade: (made: Made) => void
}

function RegisterForm({ language, newEntrance, invite: given, onMade }: RegisterFormProps) {
  const text = accountText(language)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [invite, setInvite] = useState(given ?? '')
  const [stay, setStay] = useState(false)
  const [hasTried, setTried] = useState(false)
  const [sentInvite, setSentInvite] = useState('')
  const [isInviteAsked, setInviteAsked] = useState(given !== undefined)
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  // The same over all tries: which of them made the account, nobody knows where answers get lost.
  const tries = useRef<Tries & { readonly recovery: NewRecoveryWords }>(undefined)
  const isClosed = asksForInvite(action.error)
  useEffect(() => {
    if (!isClosed) return
    setInviteAsked(true)
    requestAnimationFrame(() => form.current?.querySelector<HTMLInputElement>('[name=invite]')?.focus())
  }, [action.error])

  const make = async () => {
    tries.current ??= { wasLost: false, recovery: newRecoveryWords() }
    const { recovery } = tries.current
    const { enter, ...entrance } = newEntrance()
    const code = invite.trim()
    setSentInvite(code)
    const options = { ...entrance, email, password, recovery, invite: code === '' ? undefined : code }
    const owner: Owner = await register(options, tries.current)
    onMade({ email, recovery, enter: () => enter(owner, { stay }) })
  }
  const isRefused = isClosed && sentInvite !== '' && invite.trim() === sentInvite
  const isMissing = hasTried && invite.trim() === '' && !(isClosed && sentInvite === '')
  const inviteFault = isRefused ? text.register.inviteWrong : isMissing ? text.required : undefined
  const isReady = isEmail(email) && isAcceptable(password, repeated) && (!isInviteAsked || invite.trim() !== '')
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isReady) void action.run(make)
        else focusFault(event.currentTarget)
      }}
    >
      {action.error !== undefined && !isClosed && <ErrorNotice error={action.error} language={language} />}
      {action.error instanceof NetworkError && <Notice tone="info">{text.register.lost}</Notice>}
      <EmailField email={email} onEmail={setEmail} hasTried={hasTried} language={language} />
      <NewPasswordFields
        label={text.password}
        value={password}
        repeated={repeated}
        onInput={setPassword}
        onRepeat={setRepeated}
        language={language}
        email={email}
        hasTried={hasTried}
      />
      {isInviteAsked && <InviteField invite={invite} onInvite={setInvite} language={language} fault={inviteFault} />}
      <StayCheck stay={stay} onStay={setStay} language={language} />
      <Button kind="primary" submits busy={action.isBusy}>
        {text.register.submit}
      </Button>
      <Working isShown={action.isBusy} text={text.working} />
    </form>
  )
}

interface InviteFieldProps extends Pick<DoorProps, 'language'> {
  readonly invite: string
  readonly onInvite: (invite: string) => void
  readonly fault: string | undefined
}

function InviteField({ invite, onInvite, fault, language }: InviteFieldProps) {
  const text = accountText(language).register
  return (
    <Field label={text.invite} hint={text.inviteHint} fault={fault}>
      {(input) => (
        <input
          {...input}
          name="invite"
          class="mono"
          value={invite}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          onInput={(event) => onInvite(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
