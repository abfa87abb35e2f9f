/** Whether answers are what the owner asked for: before a guest sends, and again as marks for the owner. */
import { parseInstant } from '@blindkeep/protocol/ids'
import { MAX_QUESTIONS } from '@blindkeep/protocol/suites'
import { type Answers, answerTo, pairOf } from '../seal/answers.ts'
import { plainLine, spelled } from '../seal/plainLine.ts'
import { fileKindFault } from './fileKinds.ts'
import type { LinkTitle } from './linkTitle.ts'
import type { Question } from './questions.ts'

export type AnswerFault = 'missing' | 'too_long' | 'not_a_choice' | 'not_a_date' | 'not_a_number'

const date = /^\d{4}-\d{2}-\d{2}$/u
/** One to three digits, then three: decimals, or thousands with their separator. */
const thousandsOrDecimals = /^-?[1-9]\d{0,2}\.\d{3}$/u
const number = /^-?\d{1,30}(?:\.\d{1,30})?$/u

/** `value` as it is sealed. An empty one is an answer that is left out. */
export function answerFault(question: Question, value: string): AnswerFault | undefined {
  const line = plainLine(value)
  if (line === undefined) return question.required ? 'missing' : undefined
  switch (question.kind) {
    case 'text':
      return [...line].length > (question.most ?? MAX_QUESTIONS.text) ? 'too_long' : undefined
    case 'choice':
      return question.choices.some((choice) => spelled(choice) === spelled(line)) ? undefined : 'not_a_choice'
    case 'date':
      return date.test(line) && parseInstant(`${line}T00:00:00Z`) !== undefined ? undefined : 'not_a_date'
    case 'number':
      return number.test(line) ? undefined : 'not_a_number'
  }
}

/** `two_ways`: a number that another country reads as a thousand times as much, or as little. */
export type TypedFault = AnswerFault | 'two_ways'

/** Before a guest sends: `typed` is judged by what is sealed for it. */
export function typedFault(question: Question, typed: string): TypedFault | undefined {
  const value = sealedAnswer(question, typed)
  if (question.kind === 'number' && thousandsOrDecimals.test(value)) return 'two_ways'
  return answerFault(question, value)
}

/** What is sealed for what a guest has typed: one line, and a number has a point before its decimals. */
export function sealedAnswer({ kind }: Question, typed: string): string {
  const line = plainLine(typed) ?? ''
  return kind === 'number' ? line.replace(/^(-?\d+),(\d+)$/u, '$1.$2') : line
}

/** What an owner sees beside a file. Nothing is refused for it. */
export type Mark =
  | { readonly is: 'missing'; readonly label: string }
  | { readonly is: 'faulty'; readonly label: string; readonly fault: Exclude<AnswerFault, 'missing'> }
  /** The link does not ask this, or not any more; or the label comes twice. */
  | { readonly is: 'not_asked'; readonly label: string }
  /** Something must be answered, and the guest's page or program knew no questions, or the link had none yet. */
  | { readonly is: 'without_answers' }
  /** By its name alone. */
  | { readonly is: 'wrong_kind'; readonly fileKinds: readonly string[] }

/** What a link asks, or asked until it ended. */
export type Asked = Pick<LinkTitle, 'questions' | 'fileKinds'>

/** Undefined for a link whose words do not open, and for one that is not known: no file can be judged by it. */
export function askedBy(link: (Asked & { readonly titleFault: string | undefined }) | undefined): Asked | undefined {
  return link?.titleFault === undefined ? link : undefined
}

/** In the owner's order; what is not asked, and the kind of the file, come last. */
export function marksOf(
  { questions, fileKinds }: Asked,
  file: { readonly name: string | undefined; readonly fields?: Answers | undefined },
): readonly Mark[] {
  const isWrong = fileKinds !== undefined && fileKindFault(fileKinds, file.name ?? '', undefined) !== undefined
  const ofKind: readonly Mark[] = isWrong ? [{ is: 'wrong_kind', fileKinds }] : []
  return [...marksOfAnswers(questions ?? [], file.fields), ...ofKind]
}

function marksOfAnswers(questions: readonly Question[], answers: Answers | undefined): readonly Mark[] {
  if (answers === undefined) return questions.some(({ required }) => required) ? [{ is: 'without_answers' }] : []
  const asked = questions.flatMap((question): readonly Mark[] => {
    const { label } = question
    const fault = answerFault(question, answerTo(answers, label) ?? '')
    if (fault === undefined) return []
    return [fault === 'missing' ? { is: 'missing', label } : { is: 'faulty', label, fault }]
  })
  return [...asked, ...notAsked(questions, answers).map(([label]): Mark => ({ is: 'not_asked', label }))]
}

/** What the link does not ask, or a label that comes again, in the guest's order. */
export function notAsked(questions: readonly Pick<Question, 'label'>[], answers: Answers): Answers {
  const counting = new Set(questions.map(({ label }) => pairOf(answers, label)))
  return answers.filter((answer) => !counting.has(answer))
}
