import type { SecondStep } from '@blindkeep/client/account'
import { WordsError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { recover } from '@blindkeep/client/recovery'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../common/controls.tsx'
import { ErrorNotice } from '../errorNotice.tsx'
import { focusFault } from '../focusFault.ts'
import { goTo } from '../route.ts'
import { accountText } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { EmailField, isEmail, StayCheck, Working } from './doorFields.tsx'
import { DoorFrame, type DoorProps } from './doorFrame.tsx'
import { isAcceptable, NewPasswordFields } from './passwordField.tsx'
import { SecondStepForm } from './secondStepForm.tsx'
import { WordsField } from './wordsField.tsx'

type Enter = (owner: Owner) => Promise<void>

/** The way back in without the password. */
export function RecoverPage({ language, onLanguage, newEntrance, tell }: DoorProps) {
  const text = accountText(language)
  const [challenge, setChallenge] = useState<{ readonly step: SecondStep; readonly enter: Enter }>()
  const finish = async (enter: Enter, owner: Owner) => {
    goTo('inbox')
    await enter(owner)
    tell({ tone: 'good', text: text.recover.done })
  }
  // The new password is set by now, so whoever has to begin anew does so with it.
  const leave = () => goTo('')
  if (challenge !== undefined)
    return (
      <DoorFrame title={text.secondStep.title} language={language} onLanguage={onLanguage}>
        <SecondStepForm
          challenge={challenge.step}
          language={language}
          onOwner={(owner) => finish(challenge.enter, owner)}
          onOver={leave}
          onBack={leave}
        />
      </DoorFrame>
    )
  return (
    <DoorFrame title={text.recover.title} language={language} onLanguage={onLanguage}>
      <p>{text.recover.explain}</p>
      <RecoverForm
        language={language}
        newEntrance={newEntrance}
        onOwner={(enter, owner) => finish(enter, owner)}
        onChallenge={(enter, step) => setChallenge({ step, enter })}
      />
      <a class="button quiet" href="#/">
        {text.recover.back}
      </a>
    </DoorFrame>
  )
}

interface RecoverFormProps extends Pick<DoorProps, 'language' | 'newEntrance'> {
  readonly onOwner: (enter: Enter, owner: Owner) => Promise<void>
  readonly onChallenge: (enter: Enter, step: SecondStep) => void
}

function RecoverForm({ language, newEntrance, onOwner, onChallenge }: RecoverFormProps) {
  const text = accountText(language)
  const [email, setEmail] = useState('')
  const [words, setWords] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [stay, setStay] = useState(false)
  const [hasTried, setTried] = useState(false)
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (action.error instanceof WordsError && form.current !== null) focusFault(form.current)
  }, [action.error])

  const begin = async () => {
    const { enter, ...entrance } = newEntrance()
    const entered = (owner: Owner) => enter(owner, { stay })
    const { owner, challenge } = await recover({ ...entrance, email, words, newPassword })
    if (owner !== undefined) await onOwner(entered, owner)
    else onChallenge(entered, challenge)
  }
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isEmail(email) && isAcceptable(newPassword, repeated)) void action.run(begin)
        else focusFault(event.currentTarget)
      }}
    >
      {action.error !== undefined && !(action.error instanceof WordsError) && (
        <ErrorNotice error={action.error} language={language} />
      )}
      <EmailField email={email} onEmail={setEmail} hasTried={hasTried} language={language} />
      <WordsField words={words} onWords={setWords} error={action.error} language={language} />
      <NewPasswordFields
        label={text.newPassword}
        value={newPassword}
        repeated={repeated}
        onInput={setNewPassword}
        onRepeat={setRepeated}
        language={language}
        email={email}
        hasTried={hasTried}
      />
      <StayCheck stay={stay} onStay={setStay} language={language} />
      <Button kind="primary" submits busy={action.isBusy}>
        {text.recover.submit}
      </Button>
      <Working isShown={action.isBusy} text={text.working} />
    </form>
  )
}
