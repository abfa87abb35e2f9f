import type { Ref } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { useText } from '../../common/language/reader.ts'
import { accountTexts } from '../ground/texts.ts'

interface PasswordFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly autocomplete?: 'current-password' | 'new-password'
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly field?: Ref<HTMLInputElement> | undefined
}

/** A password that can be shown while it is typed. */
export function PasswordField(props: PasswordFieldProps) {
  const { label, value, onInput, autocomplete, hint, fault, field } = props
  const accountText = useText(accountTexts)
  const [isShown, setShown] = useState(false)
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(input) => (
        <div class="password">
          <input
            {...input}
            ref={field ?? null}
            {...(isShown ? { type: 'text' } : { type: 'password' })}
            value={value}
            autocomplete={autocomplete ?? 'current-password'}
            autocapitalize="none"
            spellcheck={false}
            required
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          <button
            type="button"
            class="button quiet icon"
            aria-pressed={isShown}
            aria-label={accountText.show(label)}
            onClick={() => setShown(!isShown)}
          >
            <Icon name="eye" />
          </button>
        </div>
      )}
    </Field>
  )
}
