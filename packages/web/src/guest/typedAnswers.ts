/** What the guest has typed as answers, and what is wrong with it. Loaded with the first link that has questions. */
import {
  type AnswerFault,
  type Answers,
  answerFault,
  answersText,
  answerTo,
  type Question,
} from '@blindkeep/client/questions'

/** `too_much`: all answers together have more than fits. */
export type Fault = AnswerFault | 'too_much'

export type AnswerFaults = ReadonlyMap<string, Fault>

/** What the fields contain now. */
export interface Typed {
  readonly answers: Answers
  /** Labels of fields with something that the browser read as no date or no number at the last try to send. */
  readonly unreadable: ReadonlySet<string>
}

/** In the owner's order, without what is unanswered and what is not asked any more. */
export function answersIn(questions: readonly Question[], answers: Answers): Answers {
  return questions.flatMap(({ label }) => {
    const value = answerTo(answers, label)?.trim() ?? ''
    return value === '' ? [] : [[label, value] as const]
  })
}

/** By label. Nothing may be sent while there are any. */
export function answerFaults(questions: readonly Question[], typed: Typed): AnswerFaults {
  const faults = new Map<string, Fault>()
  for (const question of questions) {
    const { label, kind } = question
    const unreadable = kind === 'date' ? 'not_a_date' : 'not_a_number'
    const fault = typed.unreadable.has(label) ? unreadable : answerFault(question, answerTo(typed.answers, label) ?? '')
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
