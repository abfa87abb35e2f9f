import { logIn, type SecondStep } from '@blindkeep/client/account'
import type { Owner } from '@blindkeep/client/owner'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls.tsx'
import { ErrorNotice } from '../errorNotice.tsx'
import { focusFault } from '../focusFault.ts'
import type { OutReason } from '../session.ts'
import { accountText } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { EmailField, isEmail, StayCheck, Working } from './doorFields.tsx'
import { DoorFrame, type DoorProps } from './doorFrame.tsx'
import { PasswordField } from './passwordField.tsx'
import { SecondStepForm } from './secondStepForm.tsx'

interface SignInPageProps extends DoorProps {
  readonly reason: OutReason | undefined
}

type Enter = (owner: Owner) => Promise<void>

export function SignInPage({ language, onLanguage, newEntrance, reason }: SignInPageProps) {
  const text = accountText(language)
  const [challenge, setChallenge] = useState<{ readonly step: SecondStep; readonly enter: Enter }>()
  const [isOver, setOver] = useState(false)
  const begin = (over: boolean) => {
    setOver(over)
    setChallenge(undefined)
  }
  if (challenge !== undefined)
    return (
      <DoorFrame title={text.secondStep.title} language={language} onLanguage={onLanguage}>
        <SecondStepForm
          challenge={challenge.step}
          language={language}
          onOwner={challenge.enter}
          onOver={() => begin(true)}
          onBack={() => begin(false)}
        />
      </DoorFrame>
    )
  return (
    <DoorFrame title={text.signIn.title} language={language} onLanguage={onLanguage}>
      {isOver ? (
        <Notice tone="warn">{text.secondStep.over}</Notice>
      ) : (
        reason !== undefined && <ReasonNotice reason={reason} text={text.signIn.reasons[reason]} />
      )}
      <PasswordForm
        language={language}
        newEntrance={newEntrance}
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
    </DoorFrame>
  )
}

function ReasonNotice({ reason, text }: { readonly reason: OutReason; readonly text: string }) {
  return <Notice tone={reason === 'ended' || reason === 'signed_out_unheard' ? 'warn' : 'info'}>{text}</Notice>
}

interface PasswordFormProps extends Pick<DoorProps, 'language' | 'newEntrance'> {
  readonly onChallenge: (step: SecondStep, enter: Enter) => void
}

function PasswordForm({ language, newEntrance, onChallenge }: PasswordFormProps) {
  const text = accountText(language)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [stay, setStay] = useState(false)
  const [hasTried, setTried] = useState(false)
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (action.error !== undefined)
      form.current?.querySelector<HTMLInputElement>('[autocomplete=current-password]')?.select()
  }, [action.error])

  const signIn = async () => {
    const { enter, ...entrance } = newEntrance()
    const entered = (owner: Owner) => enter(owner, { stay })
    const { owner, challenge } = await logIn({ ...entrance, email, password })
    if (owner !== undefined) await entered(owner)
    else onChallenge(challenge, entered)
  }
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isEmail(email) && password !== '') void action.run(signIn)
        else focusFault(event.currentTarget)
      }}
    >
      {action.error !== undefined && <ErrorNotice error={action.error} language={language} />}
      <EmailField email={email} onEmail={setEmail} hasTried={hasTried} language={language} />
      <PasswordField
        label={text.password}
        value={password}
        onInput={setPassword}
        language={language}
        fault={hasTried && password === '' ? text.required : undefined}
      />
      <StayCheck stay={stay} onStay={setStay} language={language} />
      <Button kind="primary" submits busy={action.isBusy}>
        {text.signIn.submit}
      </Button>
      <Working isShown={action.isBusy} text={text.working} />
    </form>
  )
}
