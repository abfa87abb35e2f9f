import { normaliseEmail } from '@blindkeep/protocol/email'
import { Check, Field } from '../../common/controls.tsx'
import type { Language } from '../../common/language.ts'
import { accountText } from '../texts.ts'

interface EmailFieldProps {
  readonly email: string
  readonly onEmail: (email: string) => void
  /** The user has tried to submit, so the field shows its fault. */
  readonly hasTried: boolean
  readonly language: Language
}

export function EmailField({ email, onEmail, hasTried, language }: EmailFieldProps) {
  const text = accountText(language)
  const fault = email.trim() === '' ? text.required : text.emailFault
  return (
    <Field label={text.email} fault={hasTried && !isEmail(email) ? fault : undefined}>
      {(input) => (
        <input
          {...input}
          type="email"
          value={email}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          onInput={(event) => onEmail(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** The rule of client and server. */
export function isEmail(text: string): boolean {
  return normaliseEmail(text) !== undefined
}

interface StayCheckProps {
  readonly stay: boolean
  readonly onStay: (stay: boolean) => void
  readonly language: Language
}

export function StayCheck({ stay, onStay, language }: StayCheckProps) {
  const text = accountText(language)
  return (
    <Check checked={stay} onChange={onStay}>
      {text.stay}
      <span class="small soft stay-hint">{text.stayHint}</span>
    </Check>
  )
}

/** Always in the page: screen readers announce only changes of an existing element. */
export function Working({ isShown, text }: { readonly isShown: boolean; readonly text: string }) {
  return (
    <p role="status" class="small soft working">
      {isShown ? text : ''}
    </p>
  )
}
