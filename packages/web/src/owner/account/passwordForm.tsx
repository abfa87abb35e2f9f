/** Asks for the current password, and for a code if needed, so that a stranger at an unlocked screen can't continue. */

import { PasswordWrong } from '@blindkeep/client/errors'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useText } from '../../common/reader.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorTexts } from '../errorText.ts'
import { FormButtons } from '../formButtons.tsx'
import { accountTexts } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { CheckedForm } from './checkedForm.tsx'
import { AnyCodeField, isCodeWrong } from './codeField.tsx'
import { PasswordField } from './passwordField.tsx'
import { Working } from './signInFields.tsx'

interface PasswordFormProps {
  readonly explain: string
  readonly submit: string
  readonly kind?: 'primary' | 'danger'
  /** Asks for a code of the second factor too. */
  readonly asksCode?: boolean
  /** Whether the other fields are complete. */
  readonly isReady?: boolean | undefined
  /** More fields; they show their faults when `hasTried`. */
  readonly children?: (hasTried: boolean) => ComponentChildren
  readonly onSubmit: (given: { readonly password: string; readonly code: string }) => Promise<void>
  readonly onCancel: () => void
}

export function PasswordForm(props: PasswordFormProps) {
  const { explain, submit, kind, asksCode = false, isReady = true, children, onSubmit, onCancel } = props
  const text = useText(accountTexts)
  const errorText = useText(errorTexts)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const action = useAction()
  const { error } = action
  const isWrong = error instanceof PasswordWrong
  const isFieldWrong = isWrong || (asksCode && isCodeWrong(error))
  const isFilled = password !== '' && (!asksCode || code.trim() !== '')
  return (
    <CheckedForm
      isComplete={isFilled && isReady}
      onSubmit={() => void action.run(() => onSubmit({ password, code }))}
      fieldError={isFieldWrong ? error : undefined}
      focusesFirst
    >
      {(hasTried) => (
        <>
          <p>{explain}</p>
          {error !== undefined && !isFieldWrong && <ErrorNotice error={error} />}
          {children?.(hasTried)}
          <PasswordField
            label={text.page.presentPassword}
            value={password}
            onInput={setPassword}
            fault={isWrong ? errorText(error) : hasTried && password === '' ? text.required : undefined}
          />
          {asksCode && <AnyCodeField code={code} onCode={setCode} error={error} hasTried={hasTried} />}
          <FormButtons submit={submit} kind={kind} isBusy={action.isBusy} onCancel={onCancel} />
          <Working isShown={action.isBusy} text={text.working} />
        </>
      )}
    </CheckedForm>
  )
}
