/** A newly chosen password, for all forms: to register, to recover, to change it. */

import { passwordStrength } from '@blindkeep/client/passwordStrength'
import { useState } from 'preact/hooks'
import { useText } from '../../common/language/reader.ts'
import { accountTexts } from '../ground/texts.ts'
import { PasswordField } from './passwordField.tsx'

interface NewPassword {
  readonly value: string
  readonly repeated: string
  /** Long enough, and typed twice the same. */
  readonly isAcceptable: boolean
  readonly onInput: (value: string) => void
  readonly onRepeat: (value: string) => void
}

export function useNewPassword(): NewPassword {
  const [value, onInput] = useState('')
  const [repeated, onRepeat] = useState('')
  const isAcceptable = passwordStrength(value).level !== 'short' && value === repeated
  return { value, repeated, isAcceptable, onInput, onRepeat }
}

interface NewPasswordFieldsProps {
  readonly password: NewPassword
  readonly label: string
  /** A password that contains the e-mail address is weak. */
  readonly email: string
  /** Faults are shown once the user has tried to submit. */
  readonly hasTried: boolean
}

export function NewPasswordFields({ password, label, email, hasTried }: NewPasswordFieldsProps) {
  const { value, repeated, onInput, onRepeat } = password
  const text = useText(accountTexts)
  const { level, missing } = passwordStrength(value, email)
  const isBlank = value === ''
  const isFaulty = hasTried && level === 'short'
  const verdict = missing === undefined ? text.strength[level] : text.strength.short(missing)
  return (
    <>
      <div class="stack tight">
        <PasswordField
          label={label}
          value={value}
          onInput={onInput}
          autocomplete="new-password"
          hint={text.strength.hint}
          fault={isFaulty ? verdict : undefined}
        />
        <div class={`strength ${isBlank ? 'short' : level}`} aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
        <div class="small soft" role="status" aria-label={text.strength.label}>
          {isBlank || isFaulty ? '' : verdict}
        </div>
      </div>
      <PasswordField
        label={text.repeatPassword}
        value={repeated}
        onInput={onRepeat}
        autocomplete="new-password"
        fault={hasTried && repeated !== value ? text.repeatFault : undefined}
      />
    </>
  )
}
