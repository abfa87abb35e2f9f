import type { AccountId, AssetId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  Asset,
  AssetBlob,
  AssetUpload,
  Drop,
  HeldBlob,
  NewAsset,
  ReceiptRow,
  Store,
  Upload,
  WriteTx,
} from '../../ports/store.ts'
import { noteAssetChange } from '../changes/changes.ts'
import type { Quota } from '../quota/quota.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import { markLanded } from '../uploads/uploads.ts'
import type { Declared } from './manifest.ts'
import { servedObject } from './servedObject.ts'
import { held, judgeSlot, retentionOf, type SlotRefusal } from './slot.ts'

/** An asset that holds something and is no tombstone. */
type VisibleAsset = Asset & { readonly createdAt: Instant; readonly changedAt: Instant }

/** What an account keeps. The one place where an asset's blobs change: whatever is taken out of it gives its charge back and waits out the grace window. */
export interface AssetView {
  readonly asset: VisibleAsset
  /** In the order of landing; at least one. */
  readonly blobs: readonly AssetBlob[]
  /** The original’s; until that is there, what came with the first blob. */
  readonly envelope: ManifestEnvelope
  /** Whether original, metadata and provenance are all there. */
  readonly isComplete: boolean
}

/** Whose asset it is. */
type Owner = Pick<Asset, 'accountId'>

interface Adopted {
  readonly accountId: AccountId
  readonly declared: Declared
  readonly drop: Drop
  readonly at: Instant
}

/** Which sessions have ended with it: `ending.afterClose` after the commit. */
interface Buried {
  readonly closed: readonly Upload[]
}

interface AssetPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly quota: Quota
  readonly ending: UploadEnding
}

/** Thrown inside the transaction that would append a receipt: the asset has changed since it was last looked at, and there is no place any more. */
export class NoSlot extends Error {
  override readonly name = 'NoSlot'
  readonly refusal: SlotRefusal
  constructor(refusal: SlotRefusal) {
    super('the blob has no place in its asset any more')
    this.refusal = refusal
  }
}

export type Assets = ReturnType<typeof createAssets>

export function createAssets({ store, blobs, clock, quota, ending }: AssetPorts) {
  async function letGo(tx: WriteTx, { accountId }: Owner, { location, size }: AssetBlob, at: Instant): Promise<void> {
    await tx.assets.removeBlob(location)
    await quota.refund(tx, accountId, size, at)
    if (!(await tx.objects.move(location, { from: 'kept', to: 'orphaned', at })))
      throw new Error('an asset’s blob had no object of its own')
  }

  /**
   * Puts a blob into its asset, in the transaction that appends its receipt. Throws `NoSlot` when the asset has none for it any more.
   * A new original that replaces drops all that was there and ends what was on its way to it, as nothing of that could land any more: the answer is which.
   */
  async function take(
    tx: WriteTx,
    blob: AssetBlob,
    owner: Pick<NewAsset, 'accountId' | 'albumId'>,
  ): Promise<readonly Upload[]> {
    const { assetId, landedAt } = blob
    const refused = await judgeSlot(tx, { ...blob, accountId: owner.accountId, albumId: owner.albumId })
    if (refused !== undefined) throw new NoSlot(refused)
    const isReplacing = blob.role === 'original' && blob.envelope.action === 'replace'
    if (isReplacing) {
      for (const former of await tx.assets.blobsOf(assetId)) await letGo(tx, owner, former, landedAt)
      await tx.assets.setDrop(assetId, undefined)
    }
    const ended = isReplacing ? await ending.closeAllOfAsset(tx, assetId, landedAt) : []
    await tx.assets.addBlob(blob)
    await tx.assets.touch(assetId, landedAt)
    await noteAssetChange(tx, { accountId: owner.accountId, assetId }, landedAt)
    return ended
  }

  /** Gives the quota back at once, ends what is open, and leaves a tombstone. */
  async function bury(
    tx: WriteTx,
    { accountId, assetId }: Owner & { readonly assetId: AssetId },
    at: Instant,
  ): Promise<Buried | Refuses<'asset_not_found' | 'asset_retained'>> {
    const asset = await tx.assets.find(assetId)
    if (!isVisible(asset, accountId)) return { refused: 'asset_not_found' }
    const held = await tx.assets.blobsOf(assetId)
    if (held.some(({ envelope }) => retentionOf(envelope) > at)) return { refused: 'asset_retained' }
    const closed = await ending.closeAllOfAsset(tx, assetId, at)
    for (const blob of held) await letGo(tx, { accountId }, blob, at)
    await tx.assets.bury(assetId, at)
    await noteAssetChange(tx, asset, at)
    return { closed }
  }

  return {
    /** Lands a finished session. The answer is which others have ended with it: `ending.afterClose` after the commit. */
    async land(tx: WriteTx, upload: AssetUpload, at: Instant): Promise<readonly Upload[]> {
      const { assetId, role, ciphertextHash, size, contentType, location, uploadId, envelope } = upload
      const blob = { assetId, role, ciphertextHash, size, contentType, location, uploadId, envelope, landedAt: at }
      const ended = await take(tx, blob, upload)
      await markLanded(tx, upload, at)
      return ended
    },

    /** Takes a drop’s object as an original, in the transaction that settles its adoption. The drop’s charge is the asset’s from now on. Answers as `land`. */
    async adopt(tx: WriteTx, { accountId, declared, drop, at }: Adopted): Promise<readonly Upload[]> {
      const { assetId, albumId, role, ciphertextHash, size, contentType, envelope } = declared
      const { dropId, opaqueId, kemCt, receivedAt, uploadId, location } = drop
      if ((await tx.assets.find(assetId)) === undefined) await tx.assets.reserve({ assetId, accountId, albumId })
      const blob = { assetId, role, ciphertextHash, size, contentType, location, uploadId, envelope, landedAt: at }
      const ended = await take(tx, blob, { accountId, albumId })
      await tx.assets.setDrop(assetId, { dropId, opaqueId, kemCt, receivedAt })
      return ended
    },

    async get(accountId: AccountId, assetId: AssetId): Promise<AssetView | Refuses<'asset_not_found'>> {
      return store.read(async (tx) => {
        const asset = await tx.assets.find(assetId)
        return isVisible(asset, accountId)
          ? viewOf(asset, await tx.assets.blobsOf(assetId))
          : { refused: 'asset_not_found' }
      })
    },

    async remove(
      accountId: AccountId,
      assetId: AssetId,
    ): Promise<Refuses<'asset_not_found' | 'asset_retained'> | undefined> {
      const at = clock.now()
      const outcome = await store.write((tx) => bury(tx, { accountId, assetId }, at))
      if (isRefusal(outcome)) return outcome
      ending.afterClose(outcome.closed)
      return undefined
    },

    /** Removes some of what an account keeps, the assets of `most` blobs at the most; how many assets those were. A retained one stays. */
    async removeSome(accountId: AccountId, most: number): Promise<number> {
      const at = clock.now()
      const buried = await store.write(async (tx) => {
        const outcomes: Buried[] = []
        for (const assetId of await tx.assets.someHolding(accountId, most)) {
          const outcome = await bury(tx, { accountId, assetId }, at)
          if (!isRefusal(outcome)) outcomes.push(outcome)
        }
        return outcomes
      })
      ending.afterClose(buried.flatMap(({ closed }) => closed))
      return buried.length
    },

    async receipts(
      accountId: AccountId,
      assetId: AssetId,
    ): Promise<readonly ReceiptRow[] | Refuses<'receipts_not_found'>> {
      return store.read(async (tx) =>
        isVisible(await tx.assets.find(assetId), accountId)
          ? tx.receipts.ofAsset(assetId)
          : { refused: 'receipts_not_found' },
      )
    },

    /** An object of this content that is there whole and not known to be damaged, of those that the account’s assets hold. */
    async content(
      accountId: AccountId,
      ciphertextHash: Sha256Hex,
    ): Promise<HeldBlob | Refuses<'blob_not_found' | 'blob_withheld' | 'storage_unavailable'>> {
      const objects = await store.read((tx) => tx.assets.objectsOf(accountId, ciphertextHash))
      if (objects.length === 0) return { refused: 'blob_not_found' }
      // A hold is on the content: it goes for every object.
      if (objects.some(({ isOnHold }) => isOnHold)) return { refused: 'blob_withheld' }
      return servedObject(blobs, objects)
    },
  }
}

const BUNDLE: readonly BlobRole[] = ['original', 'metadata', 'provenance']

export function viewOf(asset: VisibleAsset, blobs: readonly AssetBlob[]): AssetView {
  const shown = held({ blobs }, 'original') ?? blobs[0]
  if (shown === undefined) throw new Error('an asset that is shown holds a blob')
  const isComplete = BUNDLE.every((role) => held({ blobs }, role) !== undefined)
  return { asset, blobs, envelope: shown.envelope, isComplete }
}

/** A reservation or a tombstone looks as if there were nothing. */
export function isVisible(asset: Asset | undefined, accountId: AccountId): asset is VisibleAsset {
  return asset?.accountId === accountId && asset.createdAt !== undefined && asset.deletedAt === undefined
}
