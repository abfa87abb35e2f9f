/** `blindkeep ls`: the files of the account's albums. */
import { finderOf, sortedBy } from '@blindkeep/client/find'
import type { Owner } from '@blindkeep/client/owner'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { OwnerFlags } from '../account/profile.ts'
import { retentionMark } from '../account/retaining.ts'
import { signedIn } from '../account/session.ts'
import { accountAssets } from '../changes/feed.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { type FilterFlags, isFiltering, type OrderFlags, queryOf } from '../ground/filters.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Row } from '../ground/report.ts'
import { shrinking } from '../ground/table.ts'
import { shortId, shown, timeText } from '../ground/texts.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { chosenAlbum } from './chosen.ts'
import { markOf } from './consent.ts'
import { type AssetState, type DescribedAsset, describeAssets, findableAsset } from './described.ts'

/** What stands in place of a name. */
const WITHOUT_NAME: Readonly<Record<AssetState, string>> = {
  complete: '(without a name)',
  incomplete: '(not complete: an upload was interrupted)',
  unsigned: '(signed by no device: it may be another file than it seems)',
  device_revoked: '(without a name)',
  withheld: '(withheld by the operator)',
  unreadable: '(cannot be opened)',
}

interface LsFlags extends OwnerFlags, FilterFlags, Required<OrderFlags> {}

export async function ls(album: string | undefined, flags: LsFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { owner, report } = session
  const albums = await owner.albums()
  const chosen = album === undefined ? undefined : chosenAlbum(albums, album)
  const names = new Map(albums.map(({ albumId, name }) => [albumId, name]))
  return await interruptible(async (signal) => {
    const all = await accountAssets(session, signal)
    const assets = all.filter(({ albumId }) => chosen === undefined || albumId === chosen.albumId)
    const described = await describeAssets(session, assets, { all, signal })
    const isMeant = finderOf(queryOf(flags))
    const meant = described.filter((one) => isMeant(findableAsset(one)))
    report.list(
      [shrinking('NAME'), 'SIZE', 'KEPT SINCE', 'ID'],
      sortedBy(meant, flags.sort, findableAsset).map((one) =>
        rowOf(one, { album: names.get(one.asset.albumId), owner }),
      ),
      isFiltering(flags) ? 'Nothing matches.' : 'There are no files.',
    )
    const outcomes = createOutcomes(report)
    for (const { asset, failure } of described)
      if (failure?.exit === EXIT.untrusted) outcomes.fail(asset.assetId, { asset_id: asset.assetId }, failure)
    return outcomes.exit()
  })
}

interface Shown {
  readonly album: string | undefined
  readonly owner: Owner
}

function rowOf(one: DescribedAsset, { album, owner }: Shown): Row {
  const { asset, file } = one
  const size = file === undefined ? '' : sizeText(file.size)
  const cells = [nameOf(one, owner), size, timeText(asset.createdAt), shortId(asset.assetId)]
  return { cells, fact: factOf(one, album) }
}

/** With what is to be known of its signature, and of its retention. */
export function nameOf(one: DescribedAsset, owner: Owner): string {
  const { asset, state, file } = one
  const marks = [markOf(one), retentionMark(owner, asset.retainedUntil)].filter((mark) => mark !== undefined)
  const title = file?.name === undefined ? WITHOUT_NAME[state] : shown(file.name)
  return marks.length === 0 ? title : `${title} (${marks.join(', ')})`
}

export function factOf({ asset, state, file, failure, signerRevokedAt }: DescribedAsset, album: string | undefined) {
  const { assetId, albumId, createdAt, blobs, retainedUntil } = asset
  return {
    asset_id: assetId,
    album_id: albumId,
    album,
    state,
    name: file?.name,
    type: file?.type,
    size: file?.size,
    modified_at: file?.modifiedAt,
    created_at: createdAt,
    sealed_bytes: blobs.reduce((sum, blob) => sum + blob.size, 0),
    signer_revoked_at: signerRevokedAt,
    retained_until: retainedUntil,
    message: failure?.message,
  }
}
