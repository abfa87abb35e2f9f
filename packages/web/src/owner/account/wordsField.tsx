import { WordsError } from '@blindkeep/client/errors'
import { Field } from '../../common/controls.tsx'
import type { Language } from '../../common/language.ts'
import { errorText } from '../errorText.ts'
import { accountText } from '../texts.ts'

interface WordsFieldProps {
  readonly words: string
  readonly onWords: (words: string) => void
  /** Of the last try; what is not about the words is shown elsewhere. */
  readonly error: unknown
  readonly language: Language
}

/** 24 words, typed or pasted, with which of them is wrong. */
export function WordsField({ words, onWords, error, language }: WordsFieldProps) {
  const text = accountText(language).recover
  const count = words.split(/\s+/u).filter((word) => word !== '').length
  return (
    <Field
      label={text.words}
      hint={text.wordsHint(count)}
      fault={error instanceof WordsError ? errorText(error, language) : undefined}
    >
      {(input) => (
        <textarea
          {...input}
          class="mono"
          rows={6}
          value={words}
          autocomplete="off"
          autocapitalize="none"
          autocorrect="off"
          spellcheck={false}
          required
          onInput={(event) => onWords(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
