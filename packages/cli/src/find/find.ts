/** `blindkeep find`: files of inbox and albums by name, sender, kind, date and size. */
import { asksNames, type Findable, type FindQuery, finderOf, sortedBy } from '@blindkeep/client/find'
import type { DropFacts } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { type DescribedAsset, describeAssets, findableAsset } from '../assets/described.ts'
import { factOf as assetFact, nameOf as assetName } from '../assets/ls.ts'
import { accountAssets } from '../changes/feed.ts'
import { EXIT, type Exit, exitOf } from '../ground/exits.ts'
import { type FilterFlags, findableDrop, isFiltering, type OrderFlags, queryOf } from '../ground/filters.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Row } from '../ground/report.ts'
import { shrinking } from '../ground/table.ts'
import { shortId, shown, timeText } from '../ground/texts.ts'
import { linkOf, openInbox } from '../inbox/inbox.ts'
import { exitOfFault, factsOf, shortTitleOf } from '../inbox/items.ts'
import { type NamedDrop, nameDrops } from './knownNames.ts'

interface FindFlags extends OwnerFlags, FilterFlags, Required<OrderFlags> {
  readonly in?: 'inbox' | 'albums'
  readonly link?: string
  /** False with `--no-index`. */
  readonly index: boolean
}

type Candidate = Findable &
  (
    | { readonly drop: DropFacts; readonly one?: undefined }
    | { readonly one: DescribedAsset; readonly album: string | undefined; readonly drop?: undefined }
  )

export async function find(words: readonly string[], flags: FindFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const query: FindQuery = { ...queryOf(flags), words: words.join(' ') }
  return await interruptible(async (signal) => {
    const isRead = asksNames(query) || flags.sort === 'name' || flags.sort === 'sender'
    const drops = flags.in === 'albums' ? [] : await dropsOf(session, flags, { isRead, signal })
    const assets = flags.in === 'inbox' || flags.link !== undefined ? [] : await assetsOf(session, signal)
    const found = sortedBy([...drops, ...assets].filter(finderOf(query)), flags.sort, (candidate) => candidate)
    const isAsked = words.length > 0 || isFiltering(flags) || flags.in !== undefined || flags.link !== undefined
    return await tell(session, found, { none: isAsked ? 'Nothing matches.' : 'There are no files.', signal })
  })
}

async function dropsOf(
  session: SignedIn,
  flags: FindFlags,
  { isRead, signal }: { readonly isRead: boolean; readonly signal: AbortSignal },
): Promise<readonly Candidate[]> {
  const link = await linkOf(session.owner, flags.link)
  const all: DropFacts[] = []
  for await (const page of session.owner.pendingDrops({ signal })) all.push(...page)
  const inbox = openInbox(session)
  const candidates: Candidate[] = []
  for (const { drop, file } of await nameDrops(session, all, { isRead, isKept: flags.index, signal }))
    if (link === undefined || drop.opaqueId === link) candidates.push(await candidateOf({ drop, file }, inbox.labelOf))
  return candidates
}

async function candidateOf(
  { drop, file }: NamedDrop,
  labelOf: (opaqueId: DropFacts['opaqueId']) => Promise<string | undefined>,
): Promise<Candidate> {
  const also = await labelOf(drop.opaqueId)
  return { ...findableDrop({ ...drop, file }), drop, also }
}

async function assetsOf(session: SignedIn, signal: AbortSignal): Promise<readonly Candidate[]> {
  const albums = new Map((await session.owner.albums()).map(({ albumId, name }) => [albumId, name]))
  const all = await accountAssets(session, signal)
  return (await describeAssets(session, all, { all, signal })).map((one) => {
    const album = albums.get(one.asset.albumId)
    return { ...findableAsset(one), one, album, also: album }
  })
}

const HEADINGS = ['ID', 'SINCE', 'SIZE', ...['WHERE', 'NAME', 'FROM'].map(shrinking)]

/** A drop's header is read and compared with what was shown before, as in the list of the inbox. */
async function tell(
  session: SignedIn,
  found: readonly Candidate[],
  { none, signal }: { readonly none: string; readonly signal: AbortSignal },
): Promise<Exit> {
  const inbox = openInbox(session)
  const items = await inbox.describe(
    found.flatMap(({ drop }) => drop ?? []),
    signal,
  )
  const rows: Row[] = []
  for (const { drop, one, album, file } of found.map((candidate) => ({ album: undefined, ...candidate }))) {
    const item = items.find(({ dropId }) => dropId === drop?.dropId)
    if (item !== undefined) {
      const label = await inbox.labelOf(item.opaqueId)
      rows.push({
        cells: [
          ...[shortId(item.dropId), timeText(item.receivedAt), sizeText(item.file?.size ?? item.sealedBytes)],
          ...[`inbox, ${shown(label ?? shortId(item.opaqueId))}`, shortTitleOf(item), shown(item.file?.sender ?? '')],
        ],
        fact: { place: 'inbox', ...factsOf(item, label), fault: item.fault?.reason },
      })
    } else if (one !== undefined)
      rows.push({
        cells: [
          ...[shortId(one.asset.assetId), timeText(one.asset.createdAt), one.file ? sizeText(one.file.size) : ''],
          ...[shown(album ?? '(album without a name)'), assetName(one, session.owner), shown(file?.sender ?? '')],
        ],
        fact: { place: 'album', ...assetFact(one, album) },
      })
  }
  session.report.list(HEADINGS, rows, none)
  const exits = items.flatMap(({ fault }) => (fault === undefined ? [] : [exitOfFault(fault)]))
  return exits.length === 0 ? EXIT.done : exitOf(exits)
}
