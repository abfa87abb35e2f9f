/**
 * What the owner of a link asks its guests, in the sealed title: `questions` is JSON text, `file_kinds` a list of
 * endings with commas. A reader passes over a text that does not fit. The server is blind, so a rule here is a request:
 * the guest's client keeps it, and the owner's client marks what does not (`marksOf`).
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import { isObject, parseJson } from '@blindkeep/protocol/json'
import { MAX_HEADER_LIST_BYTES, MAX_QUESTIONS } from '@blindkeep/protocol/suites'
import { fitsHeader } from '../seal/headerText.ts'
import { labelKey, plainLine, spelled } from '../seal/plainLine.ts'

/** `label` and `choices` are one line each, and text of another person to a guest. */
export type Question = { readonly label: string; readonly required: boolean } & (
  | {
      readonly kind: 'text'
      /** Characters; `MAX_QUESTIONS.text` if undefined. */
      readonly most: number | undefined
    }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'date' }
  | { readonly kind: 'number' }
)

/** What no reader would take. `at`: the index of the question; undefined if it is about all of them. */
export interface QuestionsFault {
  readonly reason: keyof typeof REASONS
  readonly at?: number
}

const { count, label, choices, choice, text } = MAX_QUESTIONS
const REASONS = {
  count: `a link has 1 to ${count} questions`,
  label_missing: 'a question needs a label',
  label_too_long: `a label has at most ${label} bytes`,
  label_repeated: 'two questions have the same label, or labels that differ in case alone',
  choices_count: `a question has 2 to ${choices} choices`,
  choice_missing: 'a choice is empty',
  choice_too_long: `a choice has at most ${choice} bytes`,
  choice_repeated: 'two choices are the same',
  most: `the longest text has 1 to ${text} characters`,
  too_long: `all questions together have at most ${MAX_HEADER_LIST_BYTES.questions} bytes`,
} as const

/** Undefined: no text, or one that does not fit. */
export function parseQuestions(text: string | undefined): readonly Question[] | undefined {
  if (text === undefined || !fitsHeader('questions', text)) return undefined
  const list = parseJson(text)
  if (!Array.isArray(list) || list.length > MAX_QUESTIONS.count) return undefined
  const questions = list.map(questionOf).filter((question) => question !== undefined)
  const isPlain = questions.length === list.length && questions.every((one) => isSame(one, inLines(one)))
  return isPlain && faultIn(questions, spelled) === undefined ? questions : undefined
}

/** Makes one line of each label and choice. Throws `RangeError`, with the reason for a person, for what has a fault. */
export function questionsText(questions: readonly Question[]): string {
  const fault = questionsFault(questions)
  if (fault !== undefined) throw new RangeError(REASONS[fault.reason])
  return textOf(questions.map(inLines))
}

/** Why `questionsText` would refuse them. A reader takes labels that differ in case alone. */
export function questionsFault(questions: readonly Question[]): QuestionsFault | undefined {
  const lines = questions.map(inLines)
  const fault = faultIn(lines, labelKey)
  if (fault !== undefined) return fault
  return fitsHeader('questions', textOf(lines)) ? undefined : { reason: 'too_long' }
}

/** Bytes of their text, of which there may be `MAX_HEADER_LIST_BYTES.questions`. */
export function questionsBytes(questions: readonly Question[]): number {
  return utf8(textOf(questions.map(inLines))).length
}

function questionOf(value: unknown): Question | undefined {
  if (!isObject(value) || Array.isArray(value)) return undefined
  const { label, kind, required = false, choices, most, ...others } = value
  if (typeof label !== 'string' || typeof required !== 'boolean' || Object.keys(others).length > 0) return undefined
  if (choices !== undefined && kind !== 'choice') return undefined
  if (most !== undefined && kind !== 'text') return undefined
  if (kind === 'text') return most === undefined || isNumber(most) ? { label, required, kind, most } : undefined
  if (kind === 'choice') return isTexts(choices) ? { label, required, kind, choices } : undefined
  return kind === 'date' || kind === 'number' ? { label, required, kind } : undefined
}

const isNumber = (value: unknown) => typeof value === 'number'

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

/** Members without a meaning are left out. */
function textOf(questions: readonly Question[]): string {
  const members = questions.map(({ label, kind, required, ...rest }) => ({
    label,
    kind,
    ...(required && { required }),
    ...rest,
  }))
  return JSON.stringify(members)
}

/** An empty label or choice stays, as a fault. */
function inLines(question: Question): Question {
  const label = plainLine(question.label) ?? ''
  if (question.kind !== 'choice') return { ...question, label }
  return { ...question, label, choices: question.choices.map((one) => plainLine(one) ?? '') }
}

function isSame(one: Question, other: Question): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function faultIn(questions: readonly Question[], keyOf: (label: string) => string): QuestionsFault | undefined {
  if (questions.length === 0 || questions.length > MAX_QUESTIONS.count) return { reason: 'count' }
  const labels = new Set<string>()
  for (const [at, question] of questions.entries()) {
    const label = keyOf(question.label)
    const reason = labels.has(label) ? 'label_repeated' : reasonOf(question)
    if (reason !== undefined) return { reason, at }
    labels.add(label)
  }
  return undefined
}

function reasonOf(question: Question): QuestionsFault['reason'] | undefined {
  if (question.label === '') return 'label_missing'
  if (utf8(question.label).length > MAX_QUESTIONS.label) return 'label_too_long'
  if (question.kind === 'text') return isMost(question.most) ? undefined : 'most'
  return question.kind === 'choice' ? reasonOfChoices(question.choices) : undefined
}

function reasonOfChoices(choices: readonly string[]): QuestionsFault['reason'] | undefined {
  if (choices.length < 2 || choices.length > MAX_QUESTIONS.choices) return 'choices_count'
  if (choices.includes('')) return 'choice_missing'
  if (choices.some((one) => utf8(one).length > MAX_QUESTIONS.choice)) return 'choice_too_long'
  return new Set(choices.map(spelled)).size < choices.length ? 'choice_repeated' : undefined
}

function isMost(most: number | undefined): boolean {
  return most === undefined || (Number.isInteger(most) && most >= 1 && most <= MAX_QUESTIONS.text)
}
