import { logIn, type SecondStep } from '@blindkeep/client/account'
import type { Owner } from '@blindkeep/client/owner'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls.tsx'
import { ErrorNotice } from '../errorNotice.tsx'
import type { SignedOutReason } from '../sessionView.ts'
import { accountText } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { CheckedForm } from './checkedForm.tsx'
import { PasswordField } from './passwordField.tsx'
import { SecondStepPage } from './secondStepPage.tsx'
import { SignedOutFrame, type SignedOutProps } from './signedOutFrame.tsx'
import { EmailField, isEmail, StayCheck, Working } from './signInFields.tsx'

interface SignInPageProps extends SignedOutProps {
  readonly reason: SignedOutReason | undefined
}

type Enter = (owner: Owner) => Promise<void>

export function SignInPage({ language, onLanguage, newAttempt, reason }: SignInPageProps) {
  const text = accountText(language)
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
        language={language}
        onLanguage={onLanguage}
        onOwner={challenge.enter}
        onOver={() => begin(true)}
        onBack={() => begin(false)}
      />
    )
  return (
    <SignedOutFrame title={text.signIn.title} language={language} onLanguage={onLanguage}>
      {isOver ? (
        <Notice tone="warn">{text.secondStep.over}</Notice>
      ) : (
        reason !== undefined && <ReasonNotice reason={reason} text={text.signIn.reasons[reason]} />
      )}
      <SignInForm
        language={language}
        newAttempt={newAttempt}
        onChallenge={(step, enter) => setChallenge({ step, enter })}
      />
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

function ReasonNotice({ reason, text }: { readonly reason: SignedOutReason; readonly text: string }) {
  return <Notice tone={reason === 'ended' || reason === 'signed_out_locally' ? 'warn' : 'info'}>{text}</Notice>
}

interface SignInFormProps extends Pick<SignedOutProps, 'language' | 'newAttempt'> {
  readonly onChallenge: (step: SecondStep, enter: Enter) => void
}

function SignInForm({ language, newAttempt, onChallenge }: SignInFormProps) {
  const text = accountText(language)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [stay, setStay] = useState(false)
  const action = useAction()
  const passwordField = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (action.error !== undefined) passwordField.current?.select()
  }, [action.error])

  const signIn = async () => {
    const { enter, ...attempt } = newAttempt()
    const entered = (owner: Owner) => enter(owner, { stay })
    const { owner, challenge } = await logIn({ ...attempt, email, password })
    if (owner !== undefined) await entered(owner)
    else onChallenge(challenge, entered)
  }
  return (
    <CheckedForm isComplete={isEmail(email) && password !== ''} onSubmit={() => void action.run(signIn)}>
      {(hasTried) => (
        <>
          {action.error !== undefined && <ErrorNotice error={action.error} language={language} />}
          <EmailField email={email} onEmail={setEmail} hasTried={hasTried} language={language} />
          <PasswordField
            label={text.password}
            value={password}
            onInput={setPassword}
            language={language}
            fault={hasTried && password === '' ? text.required : undefined}
            field={passwordField}
          />
          <StayCheck stay={stay} onStay={setStay} language={language} />
          <Button kind="primary" submits busy={action.isBusy}>
            {text.signIn.submit}
          </Button>
          <Working isShown={action.isBusy} text={text.working} />
        </>
      )}
    </CheckedForm>
  )
}
