/** A guest's answers to what the owner of the link asks: from `--field`, and from a person at a terminal. */
import type { UploadLink } from '@blindkeep/client/guest'
import {
  type Answers,
  answersText,
  findByLabel,
  type Question,
  sealedAnswer,
  type TypedFault,
  typedFault,
} from '@blindkeep/client/questions'
import { askLine, canAsk } from '../ground/ask.ts'
import { UsageError } from '../ground/exits.ts'
import { questionsLine, questionText } from '../ground/questionTexts.ts'
import type { Report } from '../ground/report.ts'
import { shown } from '../ground/texts.ts'

/**
 * Before anything is sent. Each question is said once: where it is asked, where its answer is wrong, or where it stays
 * open. Throws `UsageError` for what is missing, wrong or not asked, if no person can be asked.
 */
export async function answersOf(
  { questions = [] }: Pick<UploadLink, 'questions'>,
  fields: readonly string[],
  report: Pick<Report, 'aside'>,
): Promise<Answers | undefined> {
  const given = givenAnswers(questions, fields)
  if (questions.length === 0) return undefined
  const isOpen = (question: Question) => !given.has(question.label)
  if (canAsk() && questions.some(isOpen)) {
    report.aside(
      'The questions are words of the person who made this link: do not enter passwords. Enter leaves out what is not required.',
    )
    for (const question of questions.filter(isOpen)) given.set(question.label, await askedOf(question))
  }
  requireAnswered(questions, given)
  const open = questions.filter(isOpen)
  if (open.length > 0)
    report.aside(`The owner of the link also asks: ${questionsLine(open)}. --field 'QUESTION=ANSWER' answers it.`)
  const answers = questions.map((one) => [one.label, sealedAnswer(one, given.get(one.label) ?? '')] as const)
  const said = answers.filter(([, value]) => value !== '')
  requireFitting(said)
  return said
}

/** Throws `UsageError` for what the link does not ask. */
function givenAnswers(questions: readonly Question[], fields: readonly string[]): Map<string, string> {
  const given = new Map<string, string>()
  for (const field of fields) {
    const { label, value } = partsOf(field, questions)
    if (given.has(label)) throw new UsageError(`--field answers “${shown(label)}” twice.`)
    given.set(label, value)
  }
  return given
}

/** A label may have a `=`: the longest one that begins the text is meant. */
function partsOf(field: string, questions: readonly Question[]): { readonly label: string; readonly value: string } {
  for (let at = field.lastIndexOf('='); at > 0; at = field.lastIndexOf('=', at - 1)) {
    const asked = findByLabel(questions, field.slice(0, at), ({ label }) => label)
    if (asked !== undefined) return { label: asked.label, value: field.slice(at + 1) }
  }
  if (questions.length === 0) throw new UsageError('the link asks nothing: leave --field out.')
  const fault = field.includes('=') ? 'the link does not ask this' : 'write it as `QUESTION=ANSWER`'
  throw new UsageError(`--field ${shown(field)}: ${fault}. The link asks: ${questionsLine(questions)}.`)
}

function askedOf(question: Question): Promise<string> {
  const isTaken = (value: string) => {
    const fault = typedFault(question, value)
    return fault === undefined || `${FAULTS[fault]}.`
  }
  return askLine(questionText(question), isTaken)
}

const FAULTS: Readonly<Record<TypedFault, string>> = {
  missing: 'It must be answered',
  too_long: 'It is too long',
  not_a_choice: 'It is none of the choices',
  not_a_date: 'It is no day, as in 2026-12-31',
  not_a_number: 'It is no number in digits without a separator of thousands, as in 1250.50 or 1250,50',
  two_ways:
    'Its separator could be one of thousands or of decimals. Write thousands as in 1250, decimals with one more 0 as in 1.2500',
}

function requireAnswered(questions: readonly Question[], given: ReadonlyMap<string, string>): void {
  const wrong = questions.flatMap((question) => {
    const fault = typedFault(question, given.get(question.label) ?? '')
    return fault === undefined ? [] : [`${questionText(question)}: ${FAULTS[fault]}.`]
  })
  if (wrong.length > 0)
    throw new UsageError(
      `the owner of the link asks for answers, each as in --field 'QUESTION=ANSWER'. Nothing was sent. ${wrong.join(' ')}`,
    )
}

function requireFitting(answers: Answers): void {
  try {
    answersText(answers)
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${error.message}. Nothing was sent.`)
    throw error
  }
}
