/** What the guest has typed as answers, and what is wrong with it. Loaded with the first link that has questions. */
import {
  type Answers,
  answersText,
  answerTo,
  type Question,
  sealedAnswer,
  type TypedFault,
  typedFault,
} from '@blindkeep/client/questions'

/** `too_much`: all answers together have more than fits. */
export type Fault = TypedFault | 'too_much'

export type AnswerFaults = ReadonlyMap<string, Fault>

/** What the fields contain now. */
export interface Typed {
  readonly answers: Answers
  /** Labels of fields with something that the browser read as no date at the last try to send. */
  readonly unreadable: ReadonlySet<string>
}

/** As they are sealed: in the owner's order, without what is unanswered and what is not asked any more. */
export function answersIn(questions: readonly Question[], answers: Answers): Answers {
  return questions.flatMap((question) => {
    const value = sealedAnswer(question, answerTo(answers, question.label) ?? '')
    return value === '' ? [] : [[question.label, value] as const]
  })
}

/** By label. Nothing may be sent while there are any. */
export function answerFaults(questions: readonly Question[], typed: Typed): AnswerFaults {
  const faults = new Map<string, Fault>()
  for (const question of questions) {
    const { label } = question
    const isUnreadable = typed.unreadable.has(label)
    const fault = isUnreadable ? 'not_a_date' : typedFault(question, answerTo(typed.answers, label) ?? '')
    if (fault !== undefined) faults.set(label, fault)
  }
  if (faults.size > 0) return faults
  const answers = answersIn(questions, typed.answers)
  const [longest] = [...answers].sort(([, one], [, other]) => other.length - one.length)
  if (longest !== undefined && !fits(answers)) faults.set(longest[0], 'too_much')
  return faults
}

function fits(answers: Answers): boolean {
  try {
    answersText(answers)
    return true
  } catch {
    return false
  }
}

/**
 * Browsers send no event while a date is half typed, and its value is empty then. Labels are no names of fields: a form
 * has its fields as members, before its own, so one called `insertBefore` would break the page.
 */
export function unreadableIn(form: HTMLFormElement): ReadonlySet<string> {
  const inputs = [...form.querySelectorAll('input')]
  return new Set(inputs.filter(({ validity }) => validity.badInput).flatMap(({ dataset }) => dataset.label ?? []))
}

export function withAnswer({ answers, unreadable }: Typed, label: string, value: string): Typed {
  const others = answers.filter(([known]) => known !== label)
  return { answers: [...others, [label, value]], unreadable: new Set([...unreadable].filter((one) => one !== label)) }
}
