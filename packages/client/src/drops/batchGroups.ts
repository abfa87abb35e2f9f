/**
 * Which drops the owner sees as one: those with the same link, batch id, sender, note and answers. So a group has one
 * of each, and a guest who repeats the id of another one has to say the same words through the same link.
 */
import type { FileDescription } from '../seal/fileHeader.ts'

interface Groupable {
  readonly opaqueId: string
  /** Absent until the header is read, and if it cannot be opened. */
  readonly file?: FileDescription | undefined
}

export interface BatchGroup<Item> {
  /** As the guest claims. Undefined for a drop without a batch, which is a group of its own. */
  readonly batchId: string | undefined
  /** Names the group among all. Stays the same while its drops come and go. Undefined without a batch. */
  readonly key: string | undefined
  /** In the order of the guest. */
  readonly items: readonly Item[]
  /** The same, in the order that was given. */
  readonly asGiven: readonly Item[]
}

/** A group is where the first of its drops is. */
export function batchGroupsOf<Item extends Groupable>(drops: readonly Item[]): readonly BatchGroup<Item>[] {
  const known = new Map<string, SameId<Item>>()
  const groups: Group<Item>[] = []
  for (const drop of drops) {
    const group = groupOf(known, drop)
    if (group.drops.length === 0) groups.push(group)
    group.drops.push(drop)
  }
  return groups.map(({ batchId, key, drops: asGiven }) => ({ batchId, key, asGiven, items: inGuestsOrder(asGiven) }))
}

/** How many files all of these claim to be, if that is more than there are. */
export function announcedCount(drops: readonly Groupable[]): number | undefined {
  const count = drops[0]?.file?.batch?.count
  const isAgreed = drops.every(({ file }) => file?.batch?.count === count)
  return isAgreed && count !== undefined && count > drops.length ? count : undefined
}

interface Group<Item> {
  readonly batchId: string | undefined
  readonly key: string | undefined
  readonly drops: Item[]
}

/** The groups of one batch id by sender, answers and note: maps, because one guest can send thousands of each. */
interface SameId<Item> {
  count: number
  /** By sender and answers, then by note. */
  readonly groups: Map<string, Map<string | undefined, Group<Item>>>
}

/** An empty one for the first drop of a group. */
function groupOf<Item extends Groupable>(known: Map<string, SameId<Item>>, { opaqueId, file }: Item): Group<Item> {
  const batchId = file?.batch?.id
  if (file === undefined || batchId === undefined) return { batchId, key: undefined, drops: [] }
  const id = `${opaqueId} ${batchId}`
  const sameId = known.get(id) ?? { count: 0, groups: new Map() }
  known.set(id, sameId)
  const said = JSON.stringify([file.sender, file.fields])
  const byNote = sameId.groups.get(said) ?? new Map<string | undefined, Group<Item>>()
  sameId.groups.set(said, byNote)
  const group = byNote.get(file.note) ?? { batchId, key: `${id} ${sameId.count++}`, drops: [] }
  byNote.set(file.note, group)
  return group
}

/** By position. Those without one come last, and equal ones stay as they are. */
function inGuestsOrder<Item extends Groupable>(drops: readonly Item[]): readonly Item[] {
  const place = ({ file }: Item) => file?.batch?.index ?? Number.MAX_SAFE_INTEGER
  return drops.toSorted((one, other) => place(one) - place(other))
}
