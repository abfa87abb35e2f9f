import { useState } from 'preact/hooks'
import { Field, IconButton } from '../common/controls.tsx'
import { useGuestPages } from './texts.ts'

interface PassphraseFieldProps {
  readonly value: string
  readonly fault?: string | undefined
  readonly onInput: (text: string) => void
}

/** Can be shown, because guests copy it by hand from a message. Password managers must not store it. */
export function PassphraseField({ value, fault, onInput }: PassphraseFieldProps) {
  const { message } = useGuestPages().text
  const [isShown, setIsShown] = useState(false)
  return (
    <Field label={message.passphrase} hint={message.passphraseHint} fault={fault}>
      {(input) => {
        const attributes = {
          ...input,
          autocomplete: 'off',
          autocapitalize: 'none',
          spellcheck: false,
          value,
          onInput: (event: { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
        } as const
        return (
          <div class="with-button">
            {isShown ? <input {...attributes} type="text" /> : <input {...attributes} type="password" />}
            <IconButton
              icon="eye"
              label={isShown ? message.hide : message.show}
              onClick={() => setIsShown((last) => !last)}
            />
          </div>
        )
      }}
    </Field>
  )
}
