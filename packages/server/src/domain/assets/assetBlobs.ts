/**
 * The one place where an asset's blobs change, but for the bin, which brings them back. When a blob leaves its asset,
 * the collector deletes its object after the grace window. Each function is part of the caller's transaction.
 */
import type { AccountId, AssetId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { AssetBlob, AssetUpload, Drop, NewAsset, ReadTx, WriteTx } from '../../ports/store.ts'
import type { Bin } from '../bin/bin.ts'
import { noteAssetChange } from '../changes/changes.ts'
import type { Refuses } from '../ground/refusals.ts'
import type { Quota } from '../quota/quota.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import { isVisible } from './assetView.ts'
import { type Declared, judgeAuthor, judgeDevice } from './manifest.ts'
import { blobOf, renewalOf } from './renewal.ts'
import { retainedUntilOf, retentionEnd } from './retention.ts'
import { isReplacing, judgeSlot, type SlotRefusal, takeAssetId } from './slot.ts'

interface AssetBlobPorts {
  readonly quota: Quota
  readonly ending: UploadEnding
  readonly bin: Pick<Bin, 'take'>
}

interface Adopted {
  readonly accountId: AccountId
  readonly declared: Declared
  readonly drop: Drop
  readonly at: Instant
}

interface Removal extends Pick<NewAsset, 'accountId' | 'assetId'> {
  readonly isFinal?: boolean
  /** Not if its provenance is another one by now. */
  readonly ifProvenance?: Sha256Hex | undefined
}

export type RemovalRefusal = Refuses<'asset_not_found' | 'asset_retained' | 'manifest_stale'>

type NewBlob = Omit<AssetBlob, 'retainedUntil' | 'pendingAfter'>

export type LandRefusal = SlotRefusal | Refuses<'device_not_authorized' | 'album_not_available'>

/** Thrown where a receipt would be appended: the asset has no slot left, or the device was revoked. */
export class SlotLost extends Error {
  override readonly name = 'SlotLost'
  readonly refusal: LandRefusal
  constructor(refusal: LandRefusal) {
    super('the asset no longer has a slot for the blob, or its device was revoked')
    this.refusal = refusal
  }
}

/** Whether a blob may land: asked early, to sign no discarded receipt, and in the landing's transaction. */
export async function judgeLanding(
  tx: ReadTx,
  blob: Parameters<typeof judgeSlot>[1],
): Promise<LandRefusal | undefined> {
  return (await judgeDevice(tx, blob.accountId, blob.envelope)) ?? judgeSlot(tx, blob)
}

/**
 * The asset may not be deleted before `until`: `raised`, or `kept` if that was so already. `unsigned`: it is not the
 * account's, or no device has signed it, and nothing changed. Never makes it earlier.
 */
export async function retainAsset(
  tx: WriteTx,
  { accountId, assetId, until }: Pick<NewAsset, 'accountId' | 'assetId'> & { readonly until: Instant },
  at: Instant,
): Promise<'raised' | 'kept' | 'unsigned'> {
  const asset = await tx.assets.find(assetId)
  const blobs = isVisible(asset, accountId) ? await tx.assets.blobsOf(assetId) : []
  const signed = blobOf(blobs, 'provenance')
  if (signed === undefined) return 'unsigned'
  if ((retentionEnd(blobs) ?? 0) >= until) return 'kept'
  await tx.assets.retain(signed.location, until)
  await tx.assets.touch(assetId, at)
  await noteAssetChange(tx, { accountId, assetId }, at)
  return 'raised'
}

export type AssetBlobs = ReturnType<typeof createAssetBlobs>

export function createAssetBlobs(ports: AssetBlobPorts) {
  const { release, add } = createChanges(ports)
  const { quota, ending, bin } = ports
  return {
    release,

    /** Adds the blob of a finished session, in the transaction that appends its receipt. Throws `SlotLost`. */
    async land(tx: WriteTx, upload: AssetUpload, at: Instant): Promise<void> {
      const { assetId, role, ciphertextHash, size, contentType, location, uploadId, envelope } = upload
      const blob = { assetId, role, ciphertextHash, size, contentType, location, uploadId, envelope, landedAt: at }
      await add(tx, blob, upload)
      const [isLanded, isKept] = await Promise.all([
        tx.uploads.move(uploadId, { from: 'finishing', to: 'landed', at }),
        tx.objects.keep([location], at),
      ])
      if (!isLanded || !isKept) throw new Error('a session left the finishing state without a receipt')
    },

    /** Adds a drop’s object as an original, with its charge, in the adoption's transaction. Throws `SlotLost`. */
    async adopt(tx: WriteTx, { accountId, declared, drop, at }: Adopted): Promise<void> {
      const { assetId, albumId, role, ciphertextHash, size, contentType, envelope } = declared
      const { dropId, opaqueId, kemCt, receivedAt, uploadId, location } = drop
      // The album may have been deleted since the drop was claimed.
      const unauthorized = await judgeAuthor(tx, accountId, declared)
      if (unauthorized !== undefined) throw new SlotLost(unauthorized)
      const taken = await takeAssetId(tx, { assetId, accountId, albumId })
      if (taken !== undefined) throw new SlotLost(taken)
      const blob = { assetId, role, ciphertextHash, size, contentType, location, uploadId, envelope, landedAt: at }
      await add(tx, blob, { accountId, albumId })
      await tx.assets.setDrop(assetId, { dropId, opaqueId, kemCt, receivedAt })
    },

    /** Deletes an asset: ends its open sessions, and leaves a tombstone. It goes to the bin, unless this is final. */
    async remove(
      tx: WriteTx,
      { accountId, assetId, isFinal = false, ifProvenance }: Removal,
      at: Instant,
    ): Promise<RemovalRefusal | undefined> {
      const asset = await tx.assets.find(assetId)
      if (!isVisible(asset, accountId)) return { refused: 'asset_not_found' }
      const blobs = await tx.assets.blobsOf(assetId)
      if (ifProvenance !== undefined && blobOf(blobs, 'provenance')?.ciphertextHash !== ifProvenance)
        return { refused: 'manifest_stale', detail: 'if_provenance is not the hash of the present provenance' }
      if ((retentionEnd(blobs) ?? at) > at) return { refused: 'asset_retained' }
      await ending.endOpenOfAsset(tx, assetId, at)
      for (const blob of blobs) await orphan(tx, blob, at)
      await tx.assets.bury(assetId, at)
      const size = blobs.reduce((sum, blob) => sum + blob.size, 0)
      if (isFinal) await quota.refund(tx, accountId, size, at)
      else await bin.take(tx, { accountId, entryId: assetId, size, deletedAt: at, removed: { asset, blobs } })
      await noteAssetChange(tx, asset, at)
      return undefined
    },
  }
}

function createChanges({ quota, ending }: AssetBlobPorts) {
  /** The blob leaves its asset, and does not come back. */
  async function release(tx: WriteTx, accountId: AccountId, blob: AssetBlob, at: Instant): Promise<void> {
    await orphan(tx, blob, at)
    await quota.refund(tx, accountId, blob.size, at)
  }

  /** Releases all blobs of the asset and ends its open sessions, none of which could land beside a new original. */
  async function clear(
    tx: WriteTx,
    { accountId, assetId, at }: { readonly accountId: AccountId; readonly assetId: AssetId; readonly at: Instant },
    blobs: readonly AssetBlob[],
  ): Promise<void> {
    for (const blob of blobs) await release(tx, accountId, blob, at)
    await tx.assets.setDrop(assetId, undefined)
    await ending.endOpenOfAsset(tx, assetId, at)
  }

  /** Throws `SlotLost`. An original that replaces clears the asset first. */
  async function add(
    tx: WriteTx,
    blob: NewBlob,
    { accountId, albumId }: Pick<NewAsset, 'accountId' | 'albumId'>,
  ): Promise<void> {
    const { assetId, landedAt } = blob
    const refused = await judgeLanding(tx, { ...blob, accountId, albumId })
    if (refused !== undefined) throw new SlotLost(refused)
    const landed = blob.envelope.action === 'replace' ? await tx.assets.blobsOf(assetId) : []
    const replaced = isReplacing(blob) ? landed : []
    if (isReplacing(blob)) await clear(tx, { accountId, assetId, at: landedAt }, replaced)
    const { left, shown, pendingAfter, retainedUntil } = renewalOf(blob, landed)
    for (const former of left) await release(tx, accountId, former, landedAt)
    if (shown !== undefined) await tx.assets.showPending(shown.location)
    await tx.assets.addBlob({ ...blob, retainedUntil: retainedUntilOf(blob, replaced, retainedUntil), pendingAfter })
    // Its owner sees nothing of it yet.
    if (pendingAfter !== undefined) return
    await tx.assets.touch(assetId, landedAt)
    await noteAssetChange(tx, { accountId, assetId }, landedAt)
  }

  return { release, add }
}

async function orphan(tx: WriteTx, { location }: AssetBlob, at: Instant): Promise<void> {
  await tx.assets.removeBlob(location)
  if (!(await tx.objects.move(location, { from: 'kept', to: 'orphaned', at })))
    throw new Error('a blob of an asset has no kept object')
}
