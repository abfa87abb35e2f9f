/** The owner's questions to the guest. Loaded when a link has some. */
import { answerTo, type Question } from '@blindkeep/client/questions'
import { MAX_QUESTIONS } from '@blindkeep/protocol/suites'
import { Field, Name } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { readableAnswer } from '../../common/language/readableAnswer.ts'
import { useText } from '../../common/language/reader.ts'
import { asked as de } from '../../text/de/asked.ts'
import { asked as en } from '../../text/en/asked.ts'
import { type AnswerFaults, type Fault, type Typed, withAnswer } from './typedAnswers.ts'

export { answerFaults, answersIn, unreadableIn } from './typedAnswers.ts'

const askedTexts = { en, de }

interface QuestionsCardProps {
  readonly questions: readonly Question[]
  readonly typed: Typed
  /** Empty before the guest has tried to send. */
  readonly faults: AnswerFaults
  readonly onType: (typed: Typed) => void
}

export function QuestionsCard({ questions, typed, faults, onType }: QuestionsCardProps) {
  const text = useText(askedTexts)
  const format = useText(formats)
  // Browsers ask for a date in the order of their own language, which may not be the one that the guest thinks in.
  const hintOf = ({ kind, label }: Question) =>
    kind === 'date' ? readableAnswer(kind, answerTo(typed.answers, label) ?? '', format) || undefined : undefined
  const words = (question: Question, fault: Fault) =>
    fault === 'too_long' ? text.faults.too_long(format.number(mostOf(question))) : text.faults[fault]
  return (
    <section class="card stack owners-words" aria-labelledby="questions-heading">
      <div>
        <h2 id="questions-heading">{text.heading}</h2>
        <p class="soft small" id="questions-whose">
          {text.whose}
        </p>
      </div>
      {questions.map((question) => {
        const { label, required } = question
        const fault = faults.get(label)
        const name = (
          <>
            <Name>{label}</Name>
            {!required && <span class="soft small"> {text.optional}</span>}
          </>
        )
        return (
          <Field key={label} label={name} hint={hintOf(question)} fault={fault && words(question, fault)}>
            {(input) => (
              <AnswerInput
                question={question}
                attributes={{ ...input, 'aria-required': required }}
                value={answerTo(typed.answers, label) ?? ''}
                onValue={(value) => onType(withAnswer(typed, label, value))}
              />
            )}
          </Field>
        )
      })}
    </section>
  )
}

function mostOf(question: Question): number {
  return (question.kind === 'text' ? question.most : undefined) ?? MAX_QUESTIONS.text
}

interface AnswerInputProps {
  readonly question: Question
  readonly attributes: {
    readonly id: string
    readonly 'aria-describedby': string
    readonly 'aria-invalid': boolean
    readonly 'aria-required': boolean
  }
  readonly value: string
  readonly onValue: (value: string) => void
}

function AnswerInput({ question, attributes, value, onValue }: AnswerInputProps) {
  const text = useText(askedTexts)
  // Browsers would offer what they have stored for whatever the label sounds like: a card number, for example.
  const common = { ...attributes, autocomplete: 'off' } as const
  switch (question.kind) {
    case 'text':
      return (
        <input
          {...common}
          type="text"
          dir="auto"
          maxLength={2 * mostOf(question)}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )
    case 'choice':
      return (
        <select {...common} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          <option value="">{text.choose}</option>
          {question.choices.map((choice) => (
            <option key={choice} value={choice} dir="auto">
              {choice}
            </option>
          ))}
        </select>
      )
    case 'number':
      // Not `type="number"`: it drops a comma without a word where the browser's own language has a point.
      return (
        <input
          {...common}
          type="text"
          inputMode="decimal"
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )
    case 'date':
      // While it is half typed, its value is empty; if that were set from outside, the rest would be lost.
      return (
        <input
          {...common}
          type="date"
          defaultValue={value}
          data-label={question.label}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )
  }
}
