/** Asks for the current password, and for a code if needed, so that a stranger at an unlocked screen can't continue. */
import { PasswordWrong, ProblemError } from '@blindkeep/client/errors'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorText } from '../errorText.ts'
import { accountText } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { CheckedForm } from './checkedForm.tsx'
import { CodeField } from './codeField.tsx'
import { PasswordField } from './passwordField.tsx'
import { Working } from './signInFields.tsx'

interface PasswordFormProps {
  readonly explain: string
  readonly submit: string
  readonly kind?: 'primary' | 'danger'
  /** The label of the code's field; without one, no code is asked for. */
  readonly codeLabel?: string | undefined
  /** Whether the other fields are complete. */
  readonly isReady?: boolean | undefined
  /** More fields; they show their faults when `hasTried`. */
  readonly children?: (hasTried: boolean) => ComponentChildren
  readonly onSubmit: (given: { readonly password: string; readonly code: string }) => Promise<void>
  readonly onCancel: () => void
}

export function PasswordForm(props: PasswordFormProps) {
  const { explain, submit, kind, codeLabel, isReady = true, children, onSubmit, onCancel } = props
  const { language } = useOwnerPages()
  const text = accountText(language)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const action = useAction()
  const { error } = action
  const isWrong = error instanceof PasswordWrong
  const isCodeWrong =
    codeLabel !== undefined && error instanceof ProblemError && error.code === 'error.auth.totp_invalid_code'
  const missing = (value: string, hasTried: boolean) => (hasTried && value.trim() === '' ? text.required : undefined)
  const isFilled = password !== '' && (codeLabel === undefined || code.trim() !== '')
  return (
    <CheckedForm
      isComplete={isFilled && isReady}
      onSubmit={() => void action.run(() => onSubmit({ password, code }))}
      fieldError={isWrong || isCodeWrong ? error : undefined}
      focusesFirst
    >
      {(hasTried) => (
        <>
          <p>{explain}</p>
          {error !== undefined && !isWrong && !isCodeWrong && <ErrorNotice error={error} language={language} />}
          {children?.(hasTried)}
          <PasswordField
            label={text.page.presentPassword}
            value={password}
            onInput={setPassword}
            language={language}
            fault={isWrong ? errorText(error, language) : missing(password, hasTried)}
          />
          {codeLabel !== undefined && (
            <CodeField
              label={codeLabel}
              code={code}
              onCode={setCode}
              isNumeric={false}
              fault={isCodeWrong ? errorText(error, language) : missing(code, hasTried)}
            />
          )}
          <div class="row">
            <Button kind={kind ?? 'primary'} submits busy={action.isBusy}>
              {submit}
            </Button>
            <Button kind="quiet" onClick={onCancel} disabled={action.isBusy}>
              {text.page.cancel}
            </Button>
          </div>
          <Working isShown={action.isBusy} text={text.working} />
        </>
      )}
    </CheckedForm>
  )
}
