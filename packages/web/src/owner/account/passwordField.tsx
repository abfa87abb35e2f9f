import { useState } from 'preact/hooks'
import { Field } from '../../common/controls.tsx'
import { Icon } from '../../common/icons.tsx'
import type { Language } from '../../common/language.ts'
import { accountText } from '../texts.ts'
import { passwordStrength } from './passwordStrength.ts'

interface PasswordFieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly language: Language
  readonly autocomplete?: 'current-password' | 'new-password'
  readonly hint?: string | undefined
  readonly fault?: string | undefined
}

/** A password that can be looked at before it is sent. */
export function PasswordField({ label, value, onInput, language, autocomplete, hint, fault }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false)
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(input) => (
        <div class="password">
          <input
            {...input}
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
            aria-label={accountText(language).show(label)}
            onClick={() => setShown(!isShown)}
          >
            <Icon name="eye" />
          </button>
        </div>
      )}
    </Field>
  )
}

interface NewPasswordProps {
  readonly label: string
  readonly value: string
  readonly repeated: string
  readonly onInput: (value: string) => void
  readonly onRepeat: (value: string) => void
  readonly language: Language
  /** What nobody should build a password of. */
  readonly email: string
  /** Shown once somebody has tried to send it. */
  readonly hasTried: boolean
}

/** A password that is chosen now: twice, with an honest word about it. */
export function NewPasswordFields(props: NewPasswordProps) {
  const { label, value, repeated, onInput, onRepeat, language, email, hasTried } = props
  const text = accountText(language)
  const { level, missing } = passwordStrength(value, email)
  const isBlank = value === ''
  const verdict = missing === undefined ? text.strength[level] : text.strength.short(missing)
  return (
    <>
      <div class="stack tight">
        <PasswordField
          label={label}
          value={value}
          onInput={onInput}
          language={language}
          autocomplete="new-password"
          hint={text.strength.hint}
          fault={hasTried && level === 'short' ? verdict : undefined}
        />
        <div class={`strength ${isBlank ? 'short' : level}`} aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
        <div class="small soft" role="status" aria-label={text.strength.label}>
          {isBlank ? '' : verdict}
        </div>
      </div>
      <PasswordField
        label={text.repeatPassword}
        value={repeated}
        onInput={onRepeat}
        language={language}
        autocomplete="new-password"
        fault={hasTried && repeated !== value ? text.repeatFault : undefined}
      />
    </>
  )
}

export function isAcceptable(value: string, repeated: string): boolean {
  return passwordStrength(value).level !== 'short' && value === repeated
}
