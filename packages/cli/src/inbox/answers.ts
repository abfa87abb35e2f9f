/** Which drops are meant by their answers, and in which order. */
import type { InboxItem } from '@blindkeep/client/owner'
import { spelled } from '@blindkeep/client/questions'
import { InvalidArgumentError } from 'commander'
import { UsageError } from '../ground/exits.ts'
import { namesText } from '../ground/texts.ts'

/** `--where 'Topic=Invoice'`. For the parser of the command line, which calls it for each flag. */
export function where(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^[^=].*=/su.test(text)) throw new InvalidArgumentError("It is written as in 'Topic=Invoice'.")
  return [...before, text]
}

/** Whether a guest has answered all of them so. A label may have a `=`, so whole answers are compared. */
export function hasAnswered({ file }: Pick<InboxItem, 'file'>, conditions: readonly string[]): boolean {
  const fields = file?.fields ?? []
  // Of equal labels the first counts.
  const first = new Map(fields.toReversed())
  const answers = new Set([...first].map(([label, value]) => spelled(`${label}=${value}`)))
  return conditions.every((condition) => answers.has(spelled(condition)))
}

/** The one of `known` that the owner means. Throws `UsageError`, with some of them: guests can invent thousands. */
export function knownLabel(known: readonly string[], given: string, refusal: string): string {
  const label = known.find((one) => spelled(one) === spelled(given))
  if (label !== undefined) return label
  throw new UsageError(`${refusal}. There are: ${namesText(known)}.`)
}
