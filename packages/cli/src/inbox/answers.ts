/** Which drops are meant by their answers, and in which order. */
import type { InboxItem } from '@blindkeep/client/owner'
import { answerTo, findByLabel, spelled } from '@blindkeep/client/questions'
import { InvalidArgumentError } from 'commander'
import { UsageError } from '../ground/exits.ts'
import { each } from '../ground/options.ts'
import { namesText } from '../ground/texts.ts'

/** `--where 'Topic=Invoice'`. */
export const where = each((text) => {
  if (!/^[^=].*=/su.test(text)) throw new InvalidArgumentError("It is written as in 'Topic=Invoice'.")
  return text
})

/** Whether a guest has answered all of them so. A label may have a `=`: each may be the one before the answer. */
export function hasAnswered({ file }: Pick<InboxItem, 'file'>, conditions: readonly string[]): boolean {
  return conditions.every((condition) =>
    [...condition.matchAll(/=/gu)].some(({ index }) => {
      const answer = answerTo(file?.fields, condition.slice(0, index))
      return answer !== undefined && spelled(answer) === spelled(condition.slice(index + 1))
    }),
  )
}

interface WantedLabel {
  /** What the owner has written. */
  readonly given: string
  readonly known: readonly string[]
  /** What else the owner may write here. */
  readonly others: readonly string[]
  readonly refusal: string
}

/** The one of `known` that is meant. Throws `UsageError`, with some of them: guests can invent thousands. */
export function knownLabel({ given, known, others, refusal }: WantedLabel): string {
  const label = findByLabel(known, given, (one) => one)
  if (label !== undefined) return label
  throw new UsageError(`${refusal}. There are: ${namesText([...others, ...known])}.`)
}
