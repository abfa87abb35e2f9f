import { WordsError } from '@blindkeep/client/errors'
import { typedWords } from '@blindkeep/client/recovery'
import { Field } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { errorTexts } from '../ground/errorText.ts'
import { accountTexts } from '../ground/texts.ts'

interface WordsFieldProps {
  readonly words: string
  readonly onWords: (words: string) => void
  /** The error of the last try. Shown here only if it is about the words. */
  readonly error: unknown
}

/** A field for 24 words; its fault names the wrong word. */
export function WordsField({ words, onWords, error }: WordsFieldProps) {
  const text = useText(accountTexts).recover
  const errorText = useText(errorTexts)
  const { length: count } = typedWords(words)
  return (
    <Field
      label={text.words}
      hint={text.wordsHint(count)}
      fault={error instanceof WordsError ? errorText(error) : undefined}
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
