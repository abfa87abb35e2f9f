/** The inbox as every command reads it. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ANOTHER_DROP } from '@blindkeep/client/errors'
import { finderOf } from '@blindkeep/client/find'
import {
  type Album,
  batchGroupsOf,
  type DescribedDrop,
  type DropFacts,
  type InboxItem,
  type Owner,
  type OwnLink,
} from '@blindkeep/client/owner'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { countText } from '@blindkeep/protocol/counts'
import type { AccountId, DropId, OpaqueId } from '@blindkeep/protocol/ids'
import type { Profile } from '../account/profile.ts'
import type { SignedIn } from '../account/session.ts'
import { LocalError, UsageError } from '../ground/exits.ts'
import { type FilterFlags, findableDrop, isFiltering, queryOf } from '../ground/filters.ts'
import { pick } from '../ground/pick.ts'
import { shown } from '../ground/texts.ts'
import { whileAlone } from '../home/claims.ts'
import { hasTexts, type Reading } from '../home/damaged.ts'
import { hasAnswered, type LabelFlags, requireLabels } from './answers.ts'
import { isOfDrop } from './items.ts'

/** Each takes a small request. */
const NAMES_AT_ONCE = 6
/** Longer than it takes to write what was shown. */
const WAIT_MS = 60_000

export interface Inbox {
  /**
   * All pending drops, oldest first. A drop never changes: one that this profile was shown otherwise before, in any
   * process, has a fault. So an id that a person has read in a list stays what a later command is about.
   */
  read(signal?: AbortSignal): Promise<readonly InboxItem[]>
  /** The same for some of the drops. */
  describe(drops: readonly DropFacts[], signal: AbortSignal): Promise<readonly InboxItem[]>
  /** Tells shown drops as they are by now, in any process. Call it before `read`, which shows all. */
  shown(): Promise<(item: InboxItem) => boolean>
  /**
   * Of ids that a person gives, those to look for in `items`: a call that is repeated goes on with the rest. Ids of
   * drops that have left the inbox since they were shown here are left out and said, unless all are.
   */
  withoutLeft(ids: readonly string[], items: readonly Pick<InboxItem, 'dropId'>[]): Promise<readonly string[]>
  /** Reads the links when it meets an unknown one. */
  linkOf(opaqueId: OpaqueId): Promise<OwnLink | undefined>
  /** The owner's own name of a link, in the same way. */
  labelOf(opaqueId: OpaqueId): Promise<string | undefined>
}

export function openInbox({ owner, profile, report }: SignedIn): Inbox {
  const links = new Map<OpaqueId, OwnLink | undefined>()
  async function linkOf(opaqueId: OpaqueId): Promise<OwnLink | undefined> {
    if (!links.has(opaqueId)) {
      for (const link of await owner.listLinks()) links.set(link.opaqueId, link)
      if (!links.has(opaqueId)) links.set(opaqueId, undefined)
    }
    return links.get(opaqueId)
  }
  return {
    async read(signal) {
      const onProgress = (opened: number, of: number) => report.progress(() => [`${opened} of ${of} names are read`])
      return await asShownBefore(profile, owner.accountId, await owner.inbox({ signal, onProgress }))
    },
    async describe(drops, signal) {
      const items = await mapConcurrently(drops, NAMES_AT_ONCE, (drop) => owner.describeDrop(drop, { signal }))
      return await asShownBefore(profile, owner.accountId, items, false)
    },
    async shown() {
      const before = await shownBefore(profile, owner.accountId)
      return (item) => wasShown(before, item)
    },
    async withoutLeft(ids, items) {
      const there = items.map(({ dropId }) => dropId)
      const before = [...(await shownBefore(profile, owner.accountId)).keys()]
      const isAmong = (known: readonly DropId[], given: string) =>
        known.some((id) => id.startsWith(given.toLowerCase()))
      const rest = ids.filter((given) => isAmong(there, given) || !isAmong(before, given))
      if (rest.length === 0 || rest.length === ids.length) return ids
      report.aside(
        `${countText(ids.length - rest.length, 'of these drops', 'of these drops')} had left the inbox before.`,
      )
      return rest
    },
    linkOf,
    labelOf: async (opaqueId) => (await linkOf(opaqueId))?.label,
  }
}

/** Which drops a call is about. */
export interface Selection {
  readonly ids?: readonly string[]
  /** What a guest has sent in one go: the beginning of its id. */
  readonly batch?: string | undefined
  readonly link?: OpaqueId | undefined
  readonly filters?: FilterFlags & AnswerFlags
}

export type AnswerFlags = Pick<LabelFlags, 'where'>

export const isNarrowed = (flags: FilterFlags & AnswerFlags): boolean => isFiltering(flags) || flags.where !== undefined

/** How a person says which drops are meant: ids, a batch, a link or all; filters leave out some of the last two. */
export interface ChoiceFlags extends FilterFlags, AnswerFlags {
  readonly batch?: string
  readonly link?: string
  readonly all?: boolean
}

/** Whether what is there is meant, and not what a person has named one by one. */
export const isWholesale = ({ link, all = false }: ChoiceFlags): boolean => link !== undefined || all

/** Throws `UsageError` unless it is exactly one of these ways. */
export function requireChoice(ids: readonly string[], flags: ChoiceFlags): void {
  const { batch, link, all = false } = flags
  if ([ids.length > 0, batch !== undefined, link !== undefined, all].filter((isGiven) => isGiven).length !== 1)
    throw new UsageError('say which drops are meant, with one of: ids, --batch, --link, --all.')
  if (isNarrowed(flags) && !isWholesale(flags))
    throw new UsageError('options that leave some out need --link or --all.')
}

interface Selecting extends Pick<ChoiceFlags, 'batch' | 'link'>, FilterFlags, LabelFlags {}

/** `items`: of the inbox. Throws `UsageError` for a label that there is not, and `LocalError` for a link. */
export async function selectionOf(
  ids: readonly string[],
  flags: Selecting,
  from: { readonly owner: Owner; readonly items: () => Promise<readonly InboxItem[]> },
): Promise<Selection> {
  await requireLabels(flags, from)
  return { ids, batch: flags.batch, link: await linkOf(from.owner, flags.link), filters: flags }
}

type Choosable = Pick<InboxItem, 'dropId' | 'opaqueId' | 'file' | 'sealedBytes' | 'receivedAt'>

/** Throws `LocalError` for an id that means none or several. Without ids and batch, all that fit link and filters. */
export function select<Item extends Choosable>(
  items: readonly Item[],
  { ids = [], batch, link, filters = {} }: Selection,
): readonly Item[] {
  if (batch !== undefined) return filesOfBatch(items, batch)
  if (ids.length === 0) {
    const isFound = finderOf(queryOf(filters))
    const isOfLink = (item: Item) => link === undefined || item.opaqueId === link
    const isMeant = (item: Item) => isFound(findableDrop(item)) && hasAnswered(item, filters.where ?? [])
    return items.filter((item) => isOfLink(item) && isMeant(item))
  }
  // Never by name: a guest may give a drop the name that begins the id of another.
  const picked = ids.map((given) => pick(items, given, { what: 'drop', listedBy: 'inbox list', id: (it) => it.dropId }))
  return [...new Set(picked)]
}

/** Guests choose these ids, so one that several senders, notes or links have in common means none of them. */
function filesOfBatch<Item extends Pick<InboxItem, 'opaqueId' | 'file'>>(
  items: readonly Item[],
  given: string,
): readonly Item[] {
  const groups = batchGroupsOf(items).filter(({ batchId }) => batchId !== undefined)
  const ids = [...new Set(groups.map(({ batchId = '' }) => batchId))]
  const batchId = pick(ids, given, { what: 'batch', listedBy: 'inbox list', id: (id) => id })
  const [group, ...others] = groups.filter((each) => each.batchId === batchId)
  if (others.length === 0) return group?.items ?? []
  throw new LocalError(
    `${shown(given)} is the batch of ${others.length + 1} guests, or of one who says different words. Give the ids of the drops.`,
  )
}

/** By the beginning of its id, or the owner's name for it. */
export async function linkOf(owner: Owner, given: string | undefined): Promise<OpaqueId | undefined> {
  if (given === undefined) return undefined
  const picking = { what: 'link', listedBy: 'link list', name: (link: { label: string | undefined }) => link.label }
  return pick(await owner.listLinks(), given, { ...picking, id: ({ opaqueId }) => opaqueId }).opaqueId
}

export async function albumOf(owner: Owner, given: string | undefined): Promise<Album | undefined> {
  if (given === undefined) return undefined
  const picking = {
    what: 'album',
    listedBy: 'album list, or blindkeep album create',
    name: (album: Album) => album.name,
  }
  return pick(await owner.albums(), given, { ...picking, id: ({ albumId }) => albumId })
}

/** Drops that left the inbox stay remembered: a hidden one must not return as another under its id. */
const MAX_DEPARTED = 1000

/** Of a drop that did not open. */
const UNOPENED = ''

/** What was shown under the ids in the inbox, after those of the last that have left it. */
interface Shown {
  readonly accountId: AccountId
  readonly drops: Readonly<Record<DropId, string>>
}

const SHOWN: Reading<Shown> = {
  is: (json): json is Shown => hasTexts(json, ['accountId']) && 'drops' in json && hasTexts(json.drops),
  says: 'which drops were shown here before, so that the server cannot exchange them',
  without: 'and look at the inbox again: blindkeep inbox list',
}

async function asShownBefore(
  profile: Profile,
  accountId: AccountId,
  items: readonly InboxItem[],
  areAll = true,
): Promise<readonly InboxItem[]> {
  const before = await shownBefore(profile, accountId)
  const told = items.map((item) => (isSwapped(item, before.get(item.dropId)) ? faultyOf(item) : item))
  if (isAllKnown(before, told)) return told
  await whileAlone(
    { home: profile.home, path: join(profile.directory, 'inbox'), doing: 'reads this inbox', waitMs: WAIT_MS },
    async () => {
      const latest = await shownBefore(profile, accountId)
      const listed = told.flatMap((item): readonly (readonly [string, string])[] => {
        const shown = latest.get(item.dropId) || markOf(item)
        return shown === undefined ? [] : [[item.dropId, shown]]
      })
      const there = new Set(listed.map(([dropId]) => dropId))
      const others = [...latest].filter(([dropId]) => !there.has(dropId))
      const departed = areAll ? others.slice(-MAX_DEPARTED) : others
      const kept: Shown = { accountId, drops: Object.fromEntries([...departed, ...listed]) }
      await profile.vault.write('inbox', kept)
    },
  )
  return told
}

async function shownBefore(profile: Profile, accountId: AccountId): Promise<ReadonlyMap<DropId, string>> {
  const kept = await profile.vault.read('inbox', SHOWN)
  return new Map(kept?.accountId === accountId ? (Object.entries(kept.drops) as [DropId, string][]) : [])
}

function isAllKnown(before: ReadonlyMap<string, string>, items: readonly InboxItem[]): boolean {
  return items.every((item) => markOf(item) === undefined || wasShown(before, item))
}

/** One that did not open and does now was never shown: its file may be wanted. */
function wasShown(before: ReadonlyMap<string, string>, { dropId, file }: InboxItem): boolean {
  const mark = before.get(dropId)
  return mark !== undefined && (mark !== UNOPENED || file === undefined)
}

/** Undefined if it could not be read for now, which says nothing about the drop. */
function markOf(item: InboxItem): string | undefined {
  if (item.fault === undefined) return fingerprintOf(item)
  return isOfDrop(item.fault) ? UNOPENED : undefined
}

function isSwapped(item: InboxItem, before: string | undefined): boolean {
  return before !== undefined && before !== UNOPENED && item.file !== undefined && fingerprintOf(item) !== before
}

function faultyOf({ file: _, fault: __, ...facts }: InboxItem): InboxItem {
  return { ...facts, fault: ANOTHER_DROP }
}

function fingerprintOf({ opaqueId, ciphertextHash, sealedBytes, kemCt, file }: DescribedDrop): string {
  const { size, name, type, note, sender, modifiedAt, fields } = file
  const facts = [opaqueId, ciphertextHash, sealedBytes, kemCt, size, name, type, note, sender, modifiedAt]
  // At the end: what was kept of drops without answers stays the same.
  const all = fields === undefined ? facts : [...facts, fields]
  return createHash('sha256')
    .update(JSON.stringify(all.map((fact) => fact ?? null)))
    .digest('base64url')
}
