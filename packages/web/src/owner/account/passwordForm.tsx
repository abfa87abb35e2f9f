/** Asks for the current password, and for a code if needed, so that a stranger at an unlocked screen can't continue. */

import { mayBeDone, PasswordWrong } from '@blindkeep/client/errors'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Notice, Progress } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { accountTexts } from '../ground/texts.ts'
import { CheckedForm } from './checkedForm.tsx'
import { AnyCodeField, isCodeWrong } from './codeField.tsx'
import { PasswordField } from './passwordField.tsx'
import { Working } from './signInFields.tsx'

interface PasswordFormProps {
  readonly explain?: string
  readonly submit: string
  readonly kind?: 'primary' | 'danger'
  /** Asks for a code of the second factor too. */
  readonly asksCode?: boolean
  /** Whether the other fields are complete. */
  readonly isReady?: boolean | undefined
  /** More fields before the password and after it; they show their faults when `hasTried`. */
  readonly before?: (hasTried: boolean) => ComponentChildren
  readonly after?: (hasTried: boolean) => ComponentChildren
  /** How much of the work is done, where it takes long: 0 to 1. */
  readonly share?: number
  /** Said when the server may have done it, and its answer was lost. */
  readonly unsure?: string
  readonly onSubmit: (given: { readonly password: string; readonly code: string }) => Promise<void>
  readonly onCancel: () => void
}

export function PasswordForm(props: PasswordFormProps) {
  const { explain, submit, kind, asksCode = false, isReady = true, before, after, share, unsure } = props
  const text = useText(accountTexts)
  const errorText = useText(errorTexts)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { isBusy, error, run } = useAction()
  const isWrong = error instanceof PasswordWrong
  const isFieldWrong = isWrong || (asksCode && isCodeWrong(error))
  const isFilled = password !== '' && (!asksCode || code.trim() !== '')
  return (
    <CheckedForm
      isComplete={isFilled && isReady}
      onSubmit={() => void run(() => props.onSubmit({ password, code }))}
      fieldError={isFieldWrong ? error : undefined}
      focusesFirst
    >
      {(hasTried) => (
        <>
          {explain !== undefined && <p>{explain}</p>}
          {error !== undefined && !isFieldWrong && <ErrorNotice error={error} />}
          {unsure !== undefined && mayBeDone(error) && <Notice tone="warn">{unsure}</Notice>}
          {before?.(hasTried)}
          <PasswordField
            label={text.page.presentPassword}
            value={password}
            onInput={setPassword}
            fault={isWrong ? errorText(error) : hasTried && password === '' ? text.required : undefined}
          />
          {after?.(hasTried)}
          {asksCode && <AnyCodeField code={code} onCode={setCode} error={error} hasTried={hasTried} />}
          {isBusy && share !== undefined && <Progress label={text.working} value={share} />}
          <FormButtons submit={submit} kind={kind} isBusy={isBusy} onCancel={props.onCancel} />
          {share === undefined && <Working isShown={isBusy} text={text.working} />}
        </>
      )}
    </CheckedForm>
  )
}
