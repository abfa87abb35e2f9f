/** Brings back what is in the bin, in the caller's transaction, which a refusal undoes. */
import { type AccountId, type BinId, type Instant, parseAssetId, parseDropId } from '@blindkeep/protocol/ids'
import type { Asset, AssetBlob, BinEntry, Drop, ReadTx, WriteTx } from '../../ports/store.ts'
import { noteAlbumChange, noteAssetChange, noteChange } from '../changes/changes.ts'
import { judgeBound } from '../ground/bounds.ts'
import type { Refuses } from '../ground/refusals.ts'

/** Whether the inbox of the account has a place for one more file. */
export type HasInboxPlace = (tx: ReadTx, accountId: AccountId) => Promise<boolean>

export type RestoreRefusal = Refuses<'bin_entry_not_found' | 'inbox_full' | 'limit_reached'>

export async function restoreIn(
  tx: WriteTx,
  { accountId, entryId, removed }: BinEntry,
  { at, hasInboxPlace }: { readonly at: Instant; readonly hasInboxPlace: HasInboxPlace },
): Promise<RestoreRefusal | undefined> {
  await tx.bin.remove(accountId, entryId)
  await noteChange(tx, accountId, { name: 'quota.changed' }, at)
  // In the order of the collector, which locks several rows, too: otherwise each could wait for the other.
  // The collector has begun to delete it.
  for (const location of contentsOf({ removed })
    .map((content) => content.location)
    .toSorted())
    if (!(await tx.objects.restore(location, at))) return { refused: 'bin_entry_not_found' }
  if (removed.drop === undefined) return restoreAsset(tx, removed, at)
  return (await hasInboxPlace(tx, accountId)) ? restoreDrop(tx, removed.drop, at) : { refused: 'inbox_full' }
}

async function restoreDrop(tx: WriteTx, drop: Drop, at: Instant): Promise<undefined> {
  const { accountId, dropId, opaqueId } = drop
  // A claim that has ended does not come back.
  await tx.drops.insert({ ...drop, leasedUntil: undefined })
  await noteChange(tx, accountId, { name: 'drop.restored', dropId, opaqueId }, at)
}

async function restoreAsset(
  tx: WriteTx,
  { asset, blobs }: { readonly asset: Asset; readonly blobs: readonly AssetBlob[] },
  at: Instant,
): Promise<Refuses<'limit_reached'> | undefined> {
  const { assetId, accountId, albumId, drop } = asset
  if ((await tx.albums.find(albumId)) === undefined) {
    const overBound = judgeBound('albums', await tx.albums.count(accountId))
    if (overBound !== undefined) return overBound
    await tx.albums.revive(albumId)
    await noteAlbumChange(tx, { accountId, albumId }, at)
  }
  await tx.assets.exhume(assetId, at)
  await tx.assets.setDrop(assetId, drop)
  for (const blob of blobs) await tx.assets.addBlob(blob)
  await noteAssetChange(tx, { accountId, assetId }, at)
  return undefined
}

type Content = Pick<AssetBlob, 'location' | 'size' | 'ciphertextHash'>

export function contentsOf({ removed }: Pick<BinEntry, 'removed'>): readonly Content[] {
  return removed.drop === undefined ? removed.blobs : [removed.drop]
}

/** Whether it has been restored before. */
export async function isRestored(tx: ReadTx, accountId: AccountId, entryId: BinId): Promise<boolean> {
  const [dropId, assetId] = [parseDropId(entryId), parseAssetId(entryId)]
  const drop = dropId && (await tx.drops.find(dropId))
  const asset = assetId && (await tx.assets.find(assetId))
  const isLive = asset?.createdAt !== undefined && asset.deletedAt === undefined
  return drop?.accountId === accountId || (isLive && asset.accountId === accountId)
}
