import { useState } from 'preact/hooks'
import { Field, IconButton } from './controls.tsx'
import './passphraseField.css'

interface PassphraseFieldProps {
  readonly value: string
  readonly words: {
    readonly passphrase: string
    readonly passphraseHint: string
    readonly show: string
    readonly hide: string
  }
  readonly fault?: string | undefined
  readonly onInput: (text: string) => void
}

/** For a given passphrase. It can be shown, because people copy it by hand. Password managers must not store it. */
export function PassphraseField({ value, words, fault, onInput }: PassphraseFieldProps) {
  const [isShown, setIsShown] = useState(false)
  return (
    <Field label={words.passphrase} hint={words.passphraseHint} fault={fault}>
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
              label={isShown ? words.hide : words.show}
              onClick={() => setIsShown((last) => !last)}
            />
          </div>
        )
      }}
    </Field>
  )
}
