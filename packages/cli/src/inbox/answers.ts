/** Which drops are meant by their answers, and in which order. */
import type { InboxItem } from '@blindkeep/client/owner'
import { InvalidArgumentError } from 'commander'

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
  const answers = new Set([...first].map(([label, value]) => `${label}=${value}`.normalize('NFC')))
  return conditions.every((condition) => answers.has(condition.normalize('NFC')))
}
