/** Asks for the present password, and where it goes with it for a code, before something that a stranger at an open screen shall not do. */
import { PasswordWrong, ProblemError } from '@blindkeep/client/errors'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorText } from '../errorText.ts'
import { focusFault } from '../focusFault.ts'
import { accountText } from '../texts.ts'
import { useAction } from '../useAction.ts'
import { CodeField } from './codeField.tsx'
import { Working } from './doorFields.tsx'
import { PasswordField } from './passwordField.tsx'

interface PasswordFormProps {
  readonly explain: string
  readonly submit: string
  readonly kind?: 'primary' | 'danger'
  /** The label of the code, where one is asked for. */
  readonly codeLabel?: string | undefined
  /** What else has to be right; says so itself. */
  readonly isReady?: boolean | undefined
  readonly onTried?: (() => void) | undefined
  readonly children?: ComponentChildren
  readonly onSubmit: (given: { readonly password: string; readonly code: string }) => Promise<void>
  readonly onCancel: () => void
}

export function PasswordForm(props: PasswordFormProps) {
  const { explain, submit, kind, codeLabel, isReady = true, onTried, children, onSubmit, onCancel } = props
  const { language } = useOwnerPages()
  const text = accountText(language)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [hasTried, setTried] = useState(false)
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  const { error } = action
  const isWrong = error instanceof PasswordWrong
  const isCodeWrong = error instanceof ProblemError && error.code === 'error.auth.totp_invalid_code'
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  useEffect(() => {
    if ((isWrong || isCodeWrong) && form.current !== null) focusFault(form.current)
  }, [error])
  const missing = (value: string) => (hasTried && value.trim() === '' ? text.required : undefined)
  const isFilled = password !== '' && (codeLabel === undefined || code.trim() !== '')
  return (
    <form
      ref={form}
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        onTried?.()
        if (isFilled && isReady) void action.run(() => onSubmit({ password, code }))
        else focusFault(event.currentTarget)
      }}
    >
      <p>{explain}</p>
      {error !== undefined && !isWrong && !isCodeWrong && <ErrorNotice error={error} language={language} />}
      {children}
      <PasswordField
        label={text.page.presentPassword}
        value={password}
        onInput={setPassword}
        language={language}
        fault={isWrong ? errorText(error, language) : missing(password)}
      />
      {codeLabel !== undefined && (
        <CodeField
          label={codeLabel}
          code={code}
          onCode={setCode}
          isNumeric={false}
          fault={isCodeWrong ? errorText(error, language) : missing(code)}
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
    </form>
  )
}
