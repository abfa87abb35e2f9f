import type { SecondStep } from '@blindkeep/client/account'
import { mayBeDone, WordsError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { recover } from '@blindkeep/client/recovery'
import { useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { goTo } from '../ground/route.ts'
import { accountTexts } from '../ground/texts.ts'
import { CheckedForm } from './checkedForm.tsx'
import { NewPasswordFields, useNewPassword } from './newPassword.tsx'
import { SecondStepPage } from './secondStepPage.tsx'
import { SignedOutFrame, type SignedOutProps } from './signedOutFrame.tsx'
import { EmailField, isEmail, StayCheck, Working } from './signInFields.tsx'
import { WordsField } from './wordsField.tsx'

type Enter = (owner: Owner) => Promise<void>

/** Recovers an account with its recovery words and sets a new password. */
export function RecoverPage({ newAttempt, showMessage }: SignedOutProps) {
  const text = useText(accountTexts)
  const [challenge, setChallenge] = useState<{ readonly step: SecondStep; readonly enter: Enter }>()
  const finish = async (enter: Enter, owner: Owner) => {
    goTo('inbox')
    await enter(owner)
    showMessage({ tone: 'good', text: text.recover.done })
  }
  // The answer to the code that set the new password may have been lost.
  const leave = () => {
    goTo('')
    showMessage({ tone: 'bad', text: text.recover.left })
  }
  if (challenge !== undefined)
    return (
      <SecondStepPage
        challenge={challenge.step}
        onOwner={(owner) => finish(challenge.enter, owner)}
        onOver={leave}
        onBack={leave}
      />
    )
  return (
    <SignedOutFrame title={text.recover.title}>
      <p>{text.recover.explain}</p>
      <RecoverForm
        newAttempt={newAttempt}
        onOwner={(enter, owner) => finish(enter, owner)}
        onChallenge={(enter, step) => setChallenge({ step, enter })}
      />
      <a class="button quiet" href="#/">
        {text.recover.back}
      </a>
    </SignedOutFrame>
  )
}

interface RecoverFormProps extends Pick<SignedOutProps, 'newAttempt'> {
  readonly onOwner: (enter: Enter, owner: Owner) => Promise<void>
  readonly onChallenge: (enter: Enter, step: SecondStep) => void
}

function RecoverForm({ newAttempt, onOwner, onChallenge }: RecoverFormProps) {
  const text = useText(accountTexts)
  const [email, setEmail] = useState('')
  const [words, setWords] = useState('')
  const password = useNewPassword()
  const [stay, setStay] = useState(false)
  const action = useAction()

  const submit = async () => {
    const { enter, ...attempt } = newAttempt()
    const entered = (owner: Owner) => enter(owner, { stay })
    const { owner, challenge } = await recover({ ...attempt, email, words, newPassword: password.value })
    if (owner !== undefined) await onOwner(entered, owner)
    else onChallenge(entered, challenge)
  }
  return (
    <CheckedForm
      isComplete={isEmail(email) && password.isAcceptable}
      onSubmit={() => void action.run(submit)}
      fieldError={action.error instanceof WordsError ? action.error : undefined}
    >
      {(hasTried) => (
        <>
          {action.error !== undefined && !(action.error instanceof WordsError) && <ErrorNotice error={action.error} />}
          {mayBeDone(action.error) && <Notice tone="warn">{text.changePassword.unsure}</Notice>}
          <EmailField email={email} onEmail={setEmail} hasTried={hasTried} />
          <WordsField words={words} onWords={setWords} error={action.error} />
          <NewPasswordFields label={text.newPassword} password={password} email={email} hasTried={hasTried} />
          <StayCheck stay={stay} onStay={setStay} />
          <Button kind="primary" submits busy={action.isBusy}>
            {text.recover.submit}
          </Button>
          <Working isShown={action.isBusy} text={text.working} />
        </>
      )}
    </CheckedForm>
  )
}
