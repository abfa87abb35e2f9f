/** What a person means by an album, and by an asset. */
import { ProblemError } from '@blindkeep/client/errors'
import type { Album, BinItem } from '@blindkeep/client/owner'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { countText } from '@blindkeep/protocol/counts'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import type { SignedIn } from '../account/session.ts'
import { itemsIn } from '../bin/bin.ts'
import { accountAssets } from '../changes/feed.ts'
import { UsageError } from '../ground/exits.ts'
import { meantBy, pick } from '../ground/pick.ts'
import { type DescribedAsset, describeAssets } from './described.ts'

export function chosenAlbum(albums: readonly Album[], given: string): Album {
  return pick(albums, given, {
    what: 'album',
    listedBy: 'album list, or blindkeep album create',
    id: ({ albumId }) => albumId,
    name: ({ name }) => name,
  })
}

/** Each takes a small request. */
const AT_ONCE = 4

interface Choosing {
  readonly signal: AbortSignal
  /** Leaves out what an earlier call has deleted, and says how many: a repeated deletion does the rest. */
  readonly skipsGone?: boolean
  /** What a name means only where it means nothing else. */
  readonly isLast?: (one: DescribedAsset) => boolean
}

/** Each once, in order. Whole ids are asked for alone; names and beginnings need the whole list. */
export async function chosenAssets(
  session: SignedIn,
  given: readonly string[],
  { signal, skipsGone = false, isLast = () => false }: Choosing,
): Promise<readonly DescribedAsset[]> {
  const ids = given.map((text) => parseAssetId(text.toLowerCase()))
  if (ids.every((id) => id !== undefined)) return await chosenById(session, [...new Set(ids)], { signal, skipsGone })
  const all = await accountAssets(session, signal)
  const described = await describeAssets(session, all, { all, signal })
  const first = described.filter((one) => !isLast(one))
  const unknown = given.filter((text) => meantBy(described, text, FILE).length === 0)
  const gone = skipsGone && unknown.length > 0 ? await inBin(session, unknown, signal) : []
  tellGone(session, gone.length, described.filter(({ file }) => file === undefined).length)
  const chosen = given
    .filter((text) => !gone.includes(text))
    .map((text) => pick(first.some(({ file }) => file?.name === text) ? first : described, text, FILE))
  return [...new Set(chosen)]
}

const FILE = {
  what: 'file',
  listedBy: 'ls',
  id: ({ asset }: DescribedAsset) => asset.assetId,
  name: ({ file }: DescribedAsset) => file?.name,
}

async function chosenById(
  session: SignedIn,
  ids: readonly AssetId[],
  { signal, skipsGone }: Pick<Choosing, 'signal' | 'skipsGone'>,
): Promise<readonly DescribedAsset[]> {
  const gone: AssetId[] = []
  const asked = await mapConcurrently(ids, AT_ONCE, async (id) => {
    try {
      return await session.owner.asset(id)
    } catch (error) {
      if (!(skipsGone && isGone(error))) throw error
      gone.push(id)
      return undefined
    }
  })
  const deleted = gone.length === 0 ? [] : await inBin(session, gone, signal)
  for (const id of gone) if (!deleted.includes(id)) pick([], id, FILE)
  tellGone(session, gone.length)
  const assets = asked.filter((asset) => asset !== undefined)
  return await describeAssets(session, assets, { signal })
}

/** Of ids, beginnings and names, those that mean a deleted file which can still be restored. */
async function inBin(session: SignedIn, given: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const deleted = (await itemsIn(session, signal)).filter(({ asset }) => asset !== undefined)
  const named = { id: ({ id }: BinItem) => id, name: ({ file }: BinItem) => file?.name }
  return given.filter((text) => meantBy(deleted, text, named).length > 0)
}

/** `unnamed`: files without a name that can be read, each of which may have a given name. */
function tellGone({ report }: SignedIn, count: number, unnamed = 0): void {
  if (count === 0) return
  report.aside(`${countText(count, 'of these files is', 'of these files are')} not there any more.`)
  if (unnamed === 0) return
  const names = countText(unnamed, 'file has a name', 'files have names')
  const message = `${names} that cannot be read, and may be meant. See: blindkeep ls`
  report.problem(message, { event: 'unnamed', count: unnamed, message })
}

/** Throws `UsageError` without one of the two ways to choose files. */
export function requireFilesOrAlbum(given: readonly string[], album: string | undefined): void {
  if (given.length > 0 === (album !== undefined)) throw new UsageError('give files, or --album with an album.')
}

/** The named files, or all of an album. */
export async function chosenFiles(
  session: SignedIn,
  given: readonly string[],
  { album, signal }: { readonly album: string | undefined; readonly signal: AbortSignal },
): Promise<readonly DescribedAsset[]> {
  if (album === undefined) return await chosenAssets(session, given, { signal })
  const { albumId } = chosenAlbum(await session.owner.albums(), album)
  const all = await accountAssets(session, signal)
  const files = all.filter((asset) => asset.albumId === albumId)
  return await describeAssets(session, files, { all, signal })
}

export function isGone(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.code === 'error.asset.not_found'
}

/** How messages name an asset. */
export function titleOf({ asset, file }: DescribedAsset): string {
  return file?.name ?? asset.assetId
}
