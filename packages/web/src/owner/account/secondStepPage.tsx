import type { SecondStep } from '@blindkeep/client/account'
import { ProblemError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CodeField } from '../../common/controls/codeField.tsx'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { accountTexts } from '../ground/texts.ts'
import { isCodeWrong } from './codeField.tsx'
import { SignedOutFrame } from './signedOutFrame.tsx'

interface SecondStepPageProps {
  readonly challenge: SecondStep
  readonly onOwner: (owner: Owner) => Promise<void>
  /** The challenge has expired: the user must sign in again. */
  readonly onOver: () => void
  readonly onBack: () => void
}

/** Asks for the code of an authenticator, or a backup code, until it is right. */
export function SecondStepPage(props: SecondStepPageProps) {
  const text = useText(accountTexts).secondStep
  return (
    <SignedOutFrame title={text.title}>
      <SecondStepForm {...props} />
    </SignedOutFrame>
  )
}

function SecondStepForm({ challenge, onOwner, onOver, onBack }: SecondStepPageProps) {
  const text = useText(accountTexts).secondStep
  const errorText = useText(errorTexts)
  const [code, setCode] = useState('')
  const [isBackup, setBackup] = useState(false)
  const action = useAction()
  const field = useRef<HTMLInputElement>(null)
  const isWrong = isCodeWrong(action.error)
  useEffect(() => field.current?.focus(), [isBackup])
  useEffect(() => {
    if (isOver(action.error)) onOver()
    else if (action.error !== undefined) field.current?.select()
  }, [action.error])

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void action.run(async () => onOwner(await challenge.answer(code)))
      }}
    >
      <p>{isBackup ? text.backupExplain : text.explain}</p>
      {action.error !== undefined && !isWrong && <ErrorNotice error={action.error} />}
      <CodeField
        label={isBackup ? text.backupCode : text.code}
        code={code}
        onCode={setCode}
        isNumeric={!isBackup}
        field={field}
        fault={isWrong ? errorText(action.error) : undefined}
      />
      <Button kind="primary" submits busy={action.isBusy}>
        {text.submit}
      </Button>
      <div class="row apart">
        <Button
          kind="quiet"
          onClick={() => {
            setCode('')
            action.clear()
            setBackup(!isBackup)
          }}
        >
          {isBackup ? text.useApp : text.useBackup}
        </Button>
        <Button kind="quiet" icon="back" onClick={onBack}>
          {text.back}
        </Button>
      </div>
    </form>
  )
}

function isOver(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.auth.totp_challenge_invalid'
}
