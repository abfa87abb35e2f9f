/** A passphrase that the owner gives to a link or a share, and that others have to know. */
import { Button, Field, Notice } from '../../common/controls/controls.tsx'
import { CopyButton } from '../../common/controls/copyButton.tsx'
import { useText } from '../../common/language/reader.ts'
import { linksTexts } from '../ground/texts.ts'
import { suggestPassphrase } from './suggestPassphrase.ts'

const MAX_PASSPHRASE_CHARACTERS = 200

interface NewPassphraseProps {
  readonly value: string
  /** What it is for. */
  readonly hint: string
  readonly label?: string | undefined
  readonly onInput: (passphrase: string) => void
}

/** Readable while it is typed, because the owner has to pass it on. */
export function NewPassphrase({ value, hint, label, onInput }: NewPassphraseProps) {
  const text = useText(linksTexts).form
  return (
    <Field label={label ?? text.passphrase} hint={hint}>
      {(input) => (
        <div class="beside">
          <input
            {...input}
            class="mono"
            value={value}
            maxLength={MAX_PASSPHRASE_CHARACTERS}
            autoComplete="off"
            autoCapitalize="none"
            spellcheck={false}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          <Button onClick={() => onInput(suggestPassphrase(randomBytes))}>{text.suggest}</Button>
        </div>
      )}
    </Field>
  )
}

/** Shown once, right after the link or share was made: it is stored nowhere. */
export function ShownPassphrase({ passphrase }: { readonly passphrase: string }) {
  const text = useText(linksTexts).ready
  return (
    <Notice tone="warn">
      <p>
        <strong>{text.passphrase}:</strong> <span class="passphrase mono">{passphrase}</span>
      </p>
      <p>{text.passphraseOnce}</p>
      <div>
        <CopyButton
          text={passphrase}
          label={text.copyPassphrase}
          copiedLabel={text.copied}
          failedLabel={text.copyFailed}
        />
      </div>
    </Notice>
  )
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count))
}
