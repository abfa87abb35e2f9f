/**
 * A guest's answers to the questions of a link, sealed with each file: JSON text of pairs in the owner's order,
 * `[[label, value], …]`. Each has its label, so that it keeps its meaning when the owner changes the questions. All of
 * it is a claim like the name: a reader that cannot read it passes it over and still opens the file.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import { parseJson } from '@blindkeep/protocol/json'
import { MAX_HEADER_LIST_BYTES, MAX_QUESTIONS } from '@blindkeep/protocol/suites'
import { fitsHeader } from './headerText.ts'
import { findByLabel, plainLine } from './plainLine.ts'

type Answer = readonly [label: string, value: string]

/** The owner's order; unanswered ones left out. Each label and value is one line. Of equal labels the first counts. */
export type Answers = readonly Answer[]

/** Undefined for no text, and for one that does not fit. */
export function parseAnswers(text: string | undefined): Answers | undefined {
  if (text === undefined || !fitsHeader('fields', text)) return undefined
  const pairs = parseJson(text)
  if (!Array.isArray(pairs) || pairs.length > MAX_QUESTIONS.count || !pairs.every(isPair)) return undefined
  return linesOf(pairs)
}

/** Throws `RangeError`, with the reason for a person, for answers that a reader would pass over. */
export function answersText(answers: Answers): string {
  if (answers.length > MAX_QUESTIONS.count)
    throw new RangeError(`at most ${MAX_QUESTIONS.count} questions are answered`)
  const lines = linesOf(answers)
  const long = lines.find((pair): boolean => !isPair(pair))
  if (long !== undefined) throw new RangeError(`the answer to “${long[0].slice(0, MAX_QUESTIONS.label)}” is too long`)
  const text = JSON.stringify(lines)
  if (!fitsHeader('fields', text))
    throw new RangeError(`all answers together have at most ${MAX_HEADER_LIST_BYTES.fields} bytes`)
  return text
}

export function answerTo(answers: Answers | undefined, label: string): string | undefined {
  return pairOf(answers ?? [], label)?.[1]
}

/** The answer that counts for this label, with the label that the guest's client wrote. */
export function pairOf(answers: Answers, label: string): Answer | undefined {
  return findByLabel(answers, label, ([known]) => known)
}

export function hasSameAnswers(one: Answers | undefined, other: Answers | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function isPair(pair: unknown): pair is readonly [string, string] {
  if (!Array.isArray(pair) || pair.length !== 2) return false
  const [label, value]: readonly unknown[] = pair
  const isText = typeof label === 'string' && typeof value === 'string'
  return isText && utf8(label).length <= MAX_QUESTIONS.label && utf8(value).length <= MAX_QUESTIONS.value
}

function linesOf(answers: Answers): Answers {
  return answers.flatMap(([label, value]) => {
    const [asked, said] = [plainLine(label), plainLine(value)]
    return asked === undefined || said === undefined ? [] : [[asked, said] as const]
  })
}
