import { mayBeDone } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { type NewRecoveryWords, newRecoveryWords } from '@blindkeep/client/recovery'
import { type GivenInvite, inviteOf } from '@blindkeep/protocol/inviteLink'
import type { Ref } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Field, Notice } from '../../common/controls/controls.tsx'
import { ExposedNotice } from '../../common/controls/exposedNotice.tsx'
import { useText } from '../../common/language/reader.ts'
import { useCloseGuard } from '../../common/work/closeGuard.ts'
import { type Action, useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { goTo } from '../ground/route.ts'
import { accountTexts } from '../ground/texts.ts'
import { CheckedForm } from './checkedForm.tsx'
import { NewPasswordFields, useNewPassword } from './newPassword.tsx'
import { type Attempts, needsInvite, register } from './registration.ts'
import { SignedOutFrame, type SignedOutProps } from './signedOutFrame.tsx'
import { EmailField, isEmail, StayCheck, Working } from './signInFields.tsx'
import { WordsSteps } from './wordsSteps.tsx'

interface RegisterPageProps extends SignedOutProps {
  /** From the address of an invitation. */
  readonly invite: GivenInvite | undefined
  /** The page must stay shown from now on, whatever the address says: only it has the recovery words. */
  readonly onCreated: () => void
}

/** An account that was created in this page. */
interface CreatedAccount {
  readonly email: string
  readonly owner: Owner
  readonly recovery: NewRecoveryWords
  readonly enter: () => Promise<void>
}

export function RegisterPage({ newAttempt, showMessage, invite, onCreated }: RegisterPageProps) {
  const text = useText(accountTexts)
  const [created, setCreated] = useState<CreatedAccount>()
  const [words, setWords] = useState<readonly string[]>()
  const checking = useAction()
  const finish = async (enter: () => Promise<void>) => {
    goTo('inbox')
    await enter()
    showMessage({ tone: 'good', text: text.words.done })
  }
  const check = ({ recovery }: CreatedAccount) => void checking.run(async () => setWords(await recovery.confirm()))
  if (created === undefined)
    return (
      <SignedOutFrame title={text.register.title}>
        <RegisterForm
          newAttempt={newAttempt}
          invite={invite}
          onAccount={(next) => {
            onCreated()
            setCreated(next)
            check(next)
          }}
        />
        <a class="button quiet" href="#/">
          {text.register.signIn}
        </a>
      </SignedOutFrame>
    )
  if (words === undefined)
    return (
      <SignedOutFrame title={text.words.title} wide>
        <Checking action={checking} onRetry={() => check(created)} onWithout={() => void finish(created.enter)} />
      </SignedOutFrame>
    )
  const confirm = async () => {
    const { owner, recovery, enter } = created
    // Without it, the pages remind the owner of the words.
    await owner.confirmRecoveryWords(recovery).catch(() => undefined)
    await finish(enter)
  }
  return <WordsSteps words={words} email={created.email} onDone={confirm} />
}

interface CheckingProps {
  readonly action: Action
  readonly onRetry: () => void
  readonly onWithout: () => void
}

/** The words are shown only once the server has confirmed that they open the account. */
function Checking({ action, onRetry, onWithout }: CheckingProps) {
  const text = useText(accountTexts).register
  useCloseGuard(true)
  if (action.error === undefined) return <p role="status">{text.checking}</p>
  return (
    <>
      <Notice tone="warn">{text.checkFailed}</Notice>
      <ErrorNotice error={action.error} onRetry={onRetry} />
      <div class="stack tight">
        <div>
          <Button onClick={onWithout}>{text.withoutWords}</Button>
        </div>
        <p class="small soft">{text.withoutWordsHint}</p>
      </div>
    </>
  )
}

interface RegisterFormProps extends Pick<SignedOutProps, 'newAttempt'> {
  readonly invite: GivenInvite | undefined
  readonly onAccount: (created: CreatedAccount) => void
}

function RegisterForm({ newAttempt, invite: given, onAccount }: RegisterFormProps) {
  const text = useText(accountTexts)
  const [email, setEmail] = useState('')
  const password = useNewPassword()
  const [invite, setInvite] = useState(given?.code ?? '')
  const [stay, setStay] = useState(false)
  const [sentInvite, setSentInvite] = useState('')
  const [isInviteAsked, setInviteAsked] = useState(given !== undefined)
  const action = useAction()
  const inviteField = useRef<HTMLInputElement>(null)
  // The same words for all attempts: when an answer is lost, any of the attempts may have created the account.
  const attempts = useRef<Attempts & { readonly recovery: NewRecoveryWords }>(undefined)
  const isClosed = needsInvite(action.error)
  useEffect(() => {
    if (!isClosed) return
    setInviteAsked(true)
    requestAnimationFrame(() => inviteField.current?.focus())
  }, [action.error])

  const submit = async () => {
    attempts.current ??= { wasLost: false, recovery: newRecoveryWords() }
    const { recovery } = attempts.current
    const { enter, ...attempt } = newAttempt()
    const { code } = inviteOf(invite)
    setSentInvite(code)
    const options = { ...attempt, email, password: password.value, recovery, invite: code === '' ? undefined : code }
    const owner: Owner = await register(options, attempts.current)
    onAccount({ email, owner, recovery, enter: () => enter(owner, { stay }) })
  }
  const isRefused = isClosed && sentInvite !== '' && inviteOf(invite).code === sentInvite
  const isExposed = inviteOf(invite).isExposed || (given?.isExposed === true && invite === given.code)
  const isMissing = invite.trim() === '' && !(isClosed && sentInvite === '')
  const inviteFault = (hasTried: boolean) =>
    isRefused ? text.register.inviteWrong : hasTried && isMissing ? text.required : undefined
  return (
    <CheckedForm
      focusesFirst
      isComplete={isEmail(email) && password.isAcceptable && (!isInviteAsked || invite.trim() !== '')}
      onSubmit={() => void action.run(submit)}
    >
      {(hasTried) => (
        <>
          {action.error !== undefined && !isClosed && <ErrorNotice error={action.error} />}
          {mayBeDone(action.error) && <Notice tone="info">{text.register.lost}</Notice>}
          <EmailField email={email} onEmail={setEmail} hasTried={hasTried} />
          <NewPasswordFields label={text.password} password={password} email={email} hasTried={hasTried} />
          {isExposed && <ExposedNotice text={text.register.exposed} />}
          {isInviteAsked && (
            <InviteField
              invite={invite}
              hint={invite !== '' && invite === given?.code ? text.register.inviteFromLink : text.register.inviteHint}
              onInvite={setInvite}
              fault={inviteFault(hasTried)}
              field={inviteField}
            />
          )}
          <StayCheck stay={stay} onStay={setStay} />
          <Button kind="primary" submits busy={action.isBusy}>
            {text.register.submit}
          </Button>
          <Working isShown={action.isBusy} text={text.working} />
        </>
      )}
    </CheckedForm>
  )
}

interface InviteFieldProps {
  readonly invite: string
  readonly hint: string
  readonly onInvite: (invite: string) => void
  readonly fault: string | undefined
  readonly field: Ref<HTMLInputElement>
}

function InviteField({ invite, hint, onInvite, fault, field }: InviteFieldProps) {
  const text = useText(accountTexts).register
  return (
    <Field label={text.invite} hint={hint} fault={fault}>
      {(input) => (
        <input
          {...input}
          ref={field}
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
