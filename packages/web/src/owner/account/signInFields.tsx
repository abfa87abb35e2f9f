import { normaliseEmail } from '@blindkeep/protocol/email'
import { Check, Field } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { accountTexts } from '../ground/texts.ts'

interface EmailFieldProps {
  readonly email: string
  readonly onEmail: (email: string) => void
  /** The user has tried to submit, so the field shows its fault. */
  readonly hasTried: boolean
}

export function EmailField({ email, onEmail, hasTried }: EmailFieldProps) {
  const text = useText(accountTexts)
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
}

export function StayCheck({ stay, onStay }: StayCheckProps) {
  const text = useText(accountTexts)
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
