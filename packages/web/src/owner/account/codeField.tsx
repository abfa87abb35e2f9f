import { ProblemError } from '@blindkeep/client/errors'
import type { Ref } from 'preact'
import { Field } from '../../common/controls.tsx'
import { useText } from '../../common/reader.ts'
import { errorTexts } from '../errorText.ts'
import { accountTexts } from '../texts.ts'

interface CodeFieldProps {
  readonly label: string
  readonly code: string
  readonly onCode: (code: string) => void
  /** True for the six digits of an authenticator; a backup code has letters. */
  readonly isNumeric: boolean
  readonly fault: string | undefined
  readonly field?: Ref<HTMLInputElement> | undefined
}

export function CodeField({ label, code, onCode, isNumeric, fault, field }: CodeFieldProps) {
  return (
    <Field label={label} fault={fault}>
      {(input) => (
        <input
          {...input}
          ref={field ?? null}
          class="code mono"
          value={code}
          required
          autocomplete="one-time-code"
          inputMode={isNumeric ? 'numeric' : 'text'}
          autocapitalize="characters"
          spellcheck={false}
          onInput={(event) => onCode(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface AnyCodeFieldProps extends Pick<CodeFieldProps, 'code' | 'onCode' | 'field'> {
  /** Why the last try failed. */
  readonly error: unknown
  readonly hasTried: boolean
}

/** Asks a signed-in owner for a code of the authenticator or a backup code. */
export function AnyCodeField({ code, error, hasTried, ...props }: AnyCodeFieldProps) {
  const text = useText(accountTexts)
  const errorText = useText(errorTexts)
  const missing = hasTried && code.trim() === '' ? text.required : undefined
  const fault = isCodeWrong(error) ? errorText(error) : missing
  return <CodeField {...props} label={text.factor.anyCode} code={code} isNumeric={false} fault={fault} />
}

export function isCodeWrong(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.auth.totp_invalid_code'
}
