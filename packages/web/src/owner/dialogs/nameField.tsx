import { MAX_OWN_NAME_CHARACTERS } from '@blindkeep/protocol/suites'
import { Field } from '../../common/controls/controls.tsx'

interface NameFieldProps {
  readonly label: string
  readonly hint: string
  readonly fault?: string | undefined
  readonly name: string
  readonly onName: (name: string) => void
}

/** The owner's own name for a sign-in, a key, a passkey, a share, an album or a file. */
export function NameField({ label, hint, fault, name, onName }: NameFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(input) => (
        <input
          {...input}
          value={name}
          maxLength={MAX_OWN_NAME_CHARACTERS}
          autocomplete="off"
          onInput={(event) => onName(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
