/** Which drops are meant by their answers, and which labels there are. */
import { isSortOrder, SORT_ORDERS } from '@blindkeep/client/find'
import { type FolderTemplate, labelsIn } from '@blindkeep/client/folderTemplate'
import type { InboxItem, Owner } from '@blindkeep/client/owner'
import { answerTo, findByLabel, spelled } from '@blindkeep/client/questions'
import { InvalidArgumentError } from 'commander'
import { UsageError } from '../ground/exits.ts'
import { nearestFirst } from '../ground/nearest.ts'
import { each } from '../ground/options.ts'
import { namesText, shown } from '../ground/texts.ts'

/** `--where 'Topic=Invoice'`. */
export const where = each((text) => {
  if (!/^[^=].*=/su.test(text)) throw new InvalidArgumentError("It is written as in 'Topic=Invoice'.")
  return text
})

/** A label may have a `=`: each may be the one between it and the answer. */
function readingsOf(condition: string): readonly (readonly [label: string, answer: string])[] {
  return [...condition.matchAll(/=/gu)].map(({ index }) => [condition.slice(0, index), condition.slice(index + 1)])
}

/** Whether a guest has answered all of them so. */
export function hasAnswered({ file }: Pick<InboxItem, 'file'>, conditions: readonly string[]): boolean {
  return conditions.every((condition) =>
    readingsOf(condition).some(([label, wanted]) => {
      const answer = answerTo(file?.fields, label)
      return answer !== undefined && spelled(answer) === spelled(wanted)
    }),
  )
}

/** The options that take the label of a question. */
export interface LabelFlags {
  /** Each as in `Topic=Invoice`. */
  readonly where?: readonly string[]
  /** One of the orders, or a label. */
  readonly sort?: string
  readonly albumBy?: string
  readonly into?: FolderTemplate
}

interface WantedLabel {
  /** As the owner has written it. */
  readonly option: string
  /** Its readings, of which one must be a label. */
  readonly labels: readonly string[]
  /** What else the owner may write here. */
  readonly others?: readonly string[]
}

export function labelsWanted({ where = [], sort, albumBy, into }: LabelFlags): readonly WantedLabel[] {
  return [
    ...where.map((text) => ({ option: `--where ${text}`, labels: readingsOf(text).map(([label]) => label) })),
    ...(sort === undefined || isSortOrder(sort)
      ? []
      : [{ option: `--sort ${sort}`, labels: [sort], others: SORT_ORDERS }]),
    ...(albumBy === undefined ? [] : [{ option: `--album-by ${albumBy}`, labels: [albumBy] }]),
    ...labelsIn(into ?? []).map((label) => ({ option: `--into {${label}}`, labels: [label], others: ['sender'] })),
  ]
}

/** Throws `UsageError` unless it is one of `known`, with some of them: guests can invent thousands. */
export function requireLabel(
  { option, labels, others = [] }: WantedLabel,
  { known, none = 'no link' }: { readonly known: readonly string[]; readonly none?: string },
): void {
  if (labels.some((label) => isAmong(known, label))) return
  const all = nearestFirst([...known, ...others], labels[0] ?? '')
  const hint = all.length === 0 ? 'There is no question at all.' : `There are: ${namesText(all)}.`
  throw new UsageError(`${shown(option)}: ${none} asks this. ${hint}`)
}

const isAmong = (known: readonly string[], label: string) => findByLabel(known, label, (one) => one) !== undefined

/**
 * A label that no link asks and no drop has would mean no drop, without a word. `items` is called where the links do
 * not suffice. Throws `UsageError`.
 */
export async function requireLabels(
  flags: LabelFlags,
  { owner, items }: { readonly owner: Owner; readonly items: () => Promise<readonly Pick<InboxItem, 'file'>[]> },
): Promise<void> {
  const wanted = labelsWanted(flags)
  if (wanted.length === 0) return
  const links = await owner.listLinks()
  const asked = links.flatMap(({ questions = [] }) => questions.map(({ label }) => label))
  const unasked = wanted.filter(({ labels }) => !labels.some((label) => isAmong(asked, label)))
  if (unasked.length === 0) return
  const answered = (await items()).flatMap(({ file }) => file?.fields?.map(([label]) => label) ?? [])
  const none = links.some(({ titleFault }) => titleFault !== undefined) ? 'no link whose words open' : 'no link'
  for (const one of unasked) requireLabel(one, { known: [...new Set([...asked, ...answered])], none })
}
