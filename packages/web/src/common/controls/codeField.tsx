import type { Ref } from 'preact'
import { Field } from './controls.tsx'

export interface CodeFieldProps {
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
