/** A list of secrets that is shown once: to copy, to print, to save. */

import { Button } from '../../common/controls/controls.tsx'
import { CopyButton } from '../../common/controls/copyButton.tsx'
import { download } from '../../common/files/download.ts'
import { useText } from '../../common/language/reader.ts'
import { accountTexts } from '../ground/texts.ts'

interface SecretListProps {
  /** Also printed. */
  readonly title: string
  readonly label: string
  readonly email: string
  readonly items: readonly string[]
  readonly fileName: string
  /** The page (behind `#/`) where the secrets are used; printed for a reader years later. */
  readonly path: string
}

/** The longest recovery word (BIP-39). */
const SHORT_CHARACTERS = 8

export function SecretList({ title, label, email, items, fileName, path }: SecretListProps) {
  const text = useText(accountTexts).secret
  const isLong = items.some(({ length }) => length > SHORT_CHARACTERS)
  const lines = items.map((item, index) => `${index + 1}. ${item}`)
  const where = text.at(new URL(`#/${path}`, location.href).href)
  const content = `${title}\n${text.of(email)}\n${where}\n\n${lines.join('\n')}\n`
  const save = () => download(new Blob([content], { type: 'text/plain;charset=utf-8' }), fileName)
  return (
    <div class="stack sheet">
      <p class="only-print">
        <strong>{title}</strong> {text.of(email)}
        <br />
        {where}
      </p>
      <ol class={`secrets mono ${isLong ? 'long' : ''}`} aria-label={label} translate={false}>
        {items.map((item, index) => (
          <li key={item + String(index)}>
            <span class="place" aria-hidden="true">
              {index + 1}
            </span>
            <span>{item}</span>
          </li>
        ))}
      </ol>
      <div class="row no-print">
        <CopyButton text={items.join(' ')} label={text.copy} copiedLabel={text.copied} failedLabel={text.copyFailed} />
        <Button icon="print" onClick={() => print()}>
          {text.print}
        </Button>
        <Button icon="download" onClick={save}>
          {text.save}
        </Button>
      </div>
    </div>
  )
}
