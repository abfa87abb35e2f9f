/** What a link asks its guests, by the flags `--question` and `--file-kinds`. */
import type { OwnLink } from '@blindkeep/client/owner'
import { type Asked, fileKindsText, parseFileKinds, type Question, questionsText } from '@blindkeep/client/questions'
import { InvalidArgumentError } from 'commander'
import { LocalError, UsageError } from '../ground/exits.ts'
import { each } from '../ground/options.ts'
import { nameText } from '../ground/refusedTexts.ts'

export interface AskingFlags {
  /** Undefined for an empty text, which asks nothing. */
  readonly question?: readonly (Question | undefined)[]
  readonly fileKinds?: readonly string[] | 'any'
}

export interface WordsFlags extends AskingFlags {
  readonly title?: string
  readonly message?: string
  readonly from?: string
}

/** All that guests read is sealed as one. Throws `LocalError` where the rest of it does not open and would be lost. */
export function requireKnownWords(link: OwnLink, { title, message, from, question, fileKinds }: WordsFlags): void {
  if (link.titleFault === undefined) return
  if ([title, message, from, question, fileKinds].every((given) => given !== undefined)) return
  throw new LocalError(
    `What the link ${nameText(link)} says to guests does not open, so what this call does not name would be lost. Name all of it, with an empty text for none: --title, --message, --from, --question, --file-kinds.`,
  )
}

const FORMS =
  'as in "Matter number:text!", "Remark:text=200", "Topic:choice!=Invoice|Other", "Day:date" or "Amount:number"'

/** `LABEL:KIND`, with `!` if it is required. */
export const question = each((text) => (text.trim() === '' ? undefined : questionOf(text)))

function questionOf(text: string): Question {
  const {
    label = '',
    kind,
    mark,
    rest,
  } = /^(?<label>.*?):\s*(?<kind>text|choice|date|number)(?<mark>!?)(?:=(?<rest>.*))?$/su.exec(text)?.groups ?? {}
  const asked = { label: label.trim(), required: mark === '!' }
  if (kind === 'text' && (rest === undefined || /^\d{1,9}$/u.test(rest)))
    return { ...asked, kind, most: rest === undefined ? undefined : Number(rest) }
  if (kind === 'choice' && mark === '' && rest?.trimEnd().endsWith('!') === true)
    throw new InvalidArgumentError(`The ! of what must be answered is behind the kind, ${FORMS}.`)
  if (kind === 'choice' && rest !== undefined) return { ...asked, kind, choices: rest.split('|') }
  if ((kind === 'date' || kind === 'number') && rest === undefined) return { ...asked, kind }
  throw new InvalidArgumentError(`A question is written ${FORMS}.`)
}

/** `pdf,jpg`; an empty text for any kind. */
export function fileKinds(text: string): AskingFlags['fileKinds'] {
  if (text.trim() === '') return 'any'
  try {
    return parseFileKinds(fileKindsText(text.split(',')))
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(`${error.message}.`)
    throw error
  }
}

/** What the flags say, and otherwise what was asked before. Throws `UsageError` for what no guest's client reads. */
export function askedWith({ question, fileKinds }: AskingFlags, before?: Asked): Asked {
  const given = question?.filter((one) => one !== undefined)
  if (given !== undefined && given.length > 0) requireReadable(given)
  const ofFlag = given?.length === 0 ? undefined : given
  return {
    questions: question === undefined ? before?.questions : ofFlag,
    fileKinds: fileKinds === undefined ? before?.fileKinds : fileKinds === 'any' ? undefined : fileKinds,
  }
}

function requireReadable(questions: readonly Question[]): void {
  try {
    questionsText(questions)
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--question: ${error.message}.`)
    throw error
  }
}
