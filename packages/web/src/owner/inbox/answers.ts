/** What guests have answered, as the inbox shows it. Pure. */

import { answerFinder } from '@blindkeep/client/find'
import type { FileDescription } from '@blindkeep/client/owner'
import {
  type Asked,
  answerTo,
  findByLabel,
  labelKey,
  type Mark,
  marksOf,
  notAsked,
  spelled,
} from '@blindkeep/client/questions'
import type { ListedDrop } from './dropList.ts'

type AnswerMark = Extract<Mark, { readonly label: string }>
type FileMark = Exclude<Mark, AnswerMark>

/** One question and its answer: a column of the list. */
export interface Answered {
  readonly label: string
  /** Undefined for none. */
  readonly value: string | undefined
  readonly mark: AnswerMark | undefined
}

export interface ShownAnswers {
  /** In the owner's order, those that are not asked last. */
  readonly answers: readonly Answered[]
  /** About the file as a whole. */
  readonly marks: readonly FileMark[]
}

const NONE: ShownAnswers = { answers: [], marks: [] }

/** Without an answer to a question that the link asks, its place stays: answers to it stand below each other. */
export function shownAnswersOf(file: FileDescription | undefined, asked: Asked | undefined): ShownAnswers {
  if (file === undefined) return NONE
  const { fields } = file
  if (asked === undefined)
    return { answers: (fields ?? []).map(([label, value]) => ({ label, value, mark: undefined })), marks: [] }
  const all = marksOf(asked, file)
  const marks = all.filter((mark): mark is FileMark => !('label' in mark))
  if (fields === undefined) return { answers: [], marks }
  const labelled = all.filter((mark): mark is AnswerMark => 'label' in mark)
  const notAsked = labelled.filter(({ is }) => is === 'not_asked')
  const answers = (asked.questions ?? []).map(({ label }) => ({
    ...{ label, value: answerTo(fields, label) },
    mark: labelled.find((mark) => mark.is !== 'not_asked' && mark.label === label),
  }))
  return { answers: [...answers, ...othersOf(fields, answers, notAsked)], marks }
}

/** Their places among equal labels are those of their marks. */
function othersOf(
  fields: NonNullable<FileDescription['fields']>,
  asked: readonly Answered[],
  marks: readonly AnswerMark[],
): readonly Answered[] {
  return notAsked(asked, fields).map(([label, value], at) => ({ label, value, mark: marks[at] }))
}

/** More are not offered: guests can invent some. */
const MAX_OFFERED = 40

/** Questions to find files by: what the links ask, then what files of unknown links have answered. */
export function questionsOf(
  drops: readonly ListedDrop[],
  askedOf: (opaqueId: string) => Asked | undefined,
): readonly string[] {
  const labels = new Map<string, string>()
  const note = (label: string) => {
    const key = labelKey(label)
    if (!labels.has(key)) labels.set(key, label)
  }
  for (const opaqueId of new Set(drops.map((drop) => drop.opaqueId)))
    for (const { label } of askedOf(opaqueId)?.questions ?? []) note(label)
  for (const { file, opaqueId } of drops)
    if (askedOf(opaqueId) === undefined) for (const [label] of file?.fields ?? []) note(label)
  return [...labels.values()].slice(0, MAX_OFFERED)
}

/**
 * What to find the answers to a question by: its choices, and what else its guests have answered. Undefined if it is
 * answered in words, as far as one of the links asks it so.
 */
export function choicesOf(
  label: string,
  drops: readonly ListedDrop[],
  askedOf: (opaqueId: string) => Asked | undefined,
): readonly string[] | undefined {
  const asked = [...new Set(drops.map((drop) => drop.opaqueId))]
    .map((opaqueId) => findByLabel(askedOf(opaqueId)?.questions ?? [], label, (question) => question.label))
    .filter((question) => question !== undefined)
  const choices = asked.flatMap((question) => (question.kind === 'choice' ? [question.choices] : []))
  if (choices.length === 0 || choices.length < asked.length) return undefined
  const offered = new Map(choices.flat().map((choice) => [spelled(choice), choice]))
  const most = offered.size + MAX_OFFERED
  for (const { file } of drops) {
    const said = answerTo(file?.fields, label)
    if (said !== undefined && offered.size < most && !offered.has(spelled(said))) offered.set(spelled(said), said)
  }
  return [...offered.values()]
}

/** A choice is the whole answer; other words are anywhere in it. */
export function isAnsweredBy(
  answer: string,
  choices: readonly string[] | undefined,
): (said: string | undefined) => boolean {
  const wanted = spelled(answer)
  const isChoice = choices?.some((choice) => spelled(choice) === wanted) === true
  return isChoice ? (said) => said !== undefined && spelled(said) === wanted : answerFinder(answer)
}
