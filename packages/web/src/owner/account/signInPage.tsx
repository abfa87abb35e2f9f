import { logIn, type SecondStep } from '@blindkeep/client/account'
import type { Owner } from '@blindkeep/client/owner'
import { logInWithPasskey } from '@blindkeep/client/passkey'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { passkeyObstacle, usePasskey } from '../ground/authenticator.ts'
import { accountTexts, takeTexts } from '../ground/texts.ts'
import { FormerNameNotice } from '../moving/formerNameNotice.tsx'
import type { SignedOutReason } from '../session/sessionView.ts'
import { useTakenFiles } from '../take/useTakenFiles.ts'
import { CheckedForm } from './checkedForm.tsx'
import { PasswordField } from './passwordField.tsx'
import { SecondStepPage } from './secondStepPage.tsx'
import { SignedOutFrame, type SignedOutProps } from './signedOutFrame.tsx'
import { EmailField, isEmail, StayCheck, Working } from './signInFields.tsx'

interface SignInPageProps extends SignedOutProps {
  readonly baseUrl: string
  readonly reason: SignedOutReason | undefined
}

type Enter = (owner: Owner) => Promise<void>

export function SignInPage({ baseUrl, newAttempt, reason }: SignInPageProps) {
  const text = useText(accountTexts)
  const takeText = useText(takeTexts)
  const taken = useTakenFiles(baseUrl)
  const [challenge, setChallenge] = useState<{ readonly step: SecondStep; readonly enter: Enter }>()
  const [isOver, setOver] = useState(false)
  const begin = (over: boolean) => {
    setOver(over)
    setChallenge(undefined)
  }
  if (challenge !== undefined)
    return (
      <SecondStepPage
        challenge={challenge.step}
        onOwner={challenge.enter}
        onOver={() => begin(true)}
        onBack={() => begin(false)}
      />
    )
  return (
    <SignedOutFrame title={text.signIn.title}>
      {isOver ? (
        <Notice tone="warn">{text.secondStep.over}</Notice>
      ) : (
        reason !== undefined && <ReasonNotice reason={reason} text={text.signIn.reasons[reason]} />
      )}
      <FormerNameNotice baseUrl={baseUrl} />
      {taken.length > 0 && <Notice tone="info">{takeText.signIn}</Notice>}
      <SignInForm newAttempt={newAttempt} onChallenge={(step, enter) => setChallenge({ step, enter })} />
      <div class="row apart">
        <a class="button quiet" href="#/register">
          {text.signIn.register}
        </a>
        <a class="button quiet" href="#/recover">
          {text.signIn.recover}
        </a>
      </div>
    </SignedOutFrame>
  )
}

const WARNINGS: readonly SignedOutReason[] = [
  'ended',
  'signed_out_locally',
  'key_left',
  'deletion_unsure',
  'revocation_unsure',
]

function ReasonNotice({ reason, text }: { readonly reason: SignedOutReason; readonly text: string }) {
  return <Notice tone={WARNINGS.includes(reason) ? 'warn' : 'info'}>{text}</Notice>
}

interface SignInFormProps extends Pick<SignedOutProps, 'newAttempt'> {
  readonly onChallenge: (step: SecondStep, enter: Enter) => void
}

function SignInForm({ newAttempt, onChallenge }: SignInFormProps) {
  const text = useText(accountTexts)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [stay, setStay] = useState(false)
  const action = useAction()
  const byPasskey = useAction()
  const passwordField = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (action.error !== undefined) passwordField.current?.select()
  }, [action.error])
  const error = action.error ?? byPasskey.error

  const signIn = async () => {
    const { enter, ...attempt } = newAttempt()
    const entered = (owner: Owner) => enter(owner, { stay })
    const { owner, challenge } = await logIn({ ...attempt, email, password })
    if (owner !== undefined) await entered(owner)
    else onChallenge(challenge, entered)
  }
  const signInByPasskey = async () => {
    const { enter, ...attempt } = newAttempt()
    await enter(await logInWithPasskey({ ...attempt, ...(await usePasskey()) }), { stay })
  }
  const submit = () => {
    byPasskey.clear()
    void action.run(signIn)
  }
  return (
    <CheckedForm isComplete={isEmail(email) && password !== ''} onSubmit={submit}>
      {(hasTried) => (
        <>
          {error !== undefined && <ErrorNotice error={error} />}
          <EmailField email={email} onEmail={setEmail} hasTried={hasTried} />
          <PasswordField
            label={text.password}
            value={password}
            onInput={setPassword}
            fault={hasTried && password === '' ? text.required : undefined}
            field={passwordField}
          />
          <StayCheck stay={stay} onStay={setStay} />
          <Button kind="primary" submits busy={action.isBusy} disabled={byPasskey.isBusy}>
            {text.signIn.submit}
          </Button>
          <Working isShown={action.isBusy} text={text.working} />
          <PasskeyButton
            isBusy={byPasskey.isBusy}
            isDisabled={action.isBusy}
            onClick={() => {
              action.clear()
              void byPasskey.run(signInByPasskey)
            }}
          />
        </>
      )}
    </CheckedForm>
  )
}

interface PasskeyButtonProps {
  readonly isBusy: boolean
  readonly isDisabled: boolean
  readonly onClick: () => void
}

function PasskeyButton({ isBusy, isDisabled, onClick }: PasskeyButtonProps) {
  const text = useText(accountTexts)
  const { value } = useLoaded(async () => ({ obstacle: await passkeyObstacle() }))
  if (value === undefined) return null
  if (value.obstacle === undefined)
    return (
      <Button icon="key" busy={isBusy} disabled={isDisabled} onClick={onClick}>
        {text.signIn.passkey}
      </Button>
    )
  // A browser that has no passkeys needs no explanation here.
  return value.obstacle === 'ip_address' ? <p class="small soft">{text.passkeys.obstacles.ip_address}</p> : null
}
