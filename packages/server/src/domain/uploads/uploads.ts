import { createHash } from 'node:crypto'
import { type AccountId, type Instant, type OpaqueId, parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Account, AssetUpload, DropUpload, Store, Upload, WriteTx } from '../../ports/store.ts'
import { type Declared, judgeAuthor, judgeManifest, type ManifestRefusal } from '../assets/manifest.ts'
import { judgeSlot, type SlotRefusal } from '../assets/slot.ts'
import { newTimedId } from '../newId.ts'
import type { Quota } from '../quota/quota.ts'
import { isRefusal, type Refuses } from '../refusals.ts'
import { locationOf } from './location.ts'

/**
 * An owner's upload sessions: open → finishing → landed | failed, open → ended. Here they are created and found;
 * chunks.ts fills them, finishing.ts lands them, uploadEnding.ts ends them.
 */
export interface UploadSettings {
  readonly blobBytesMax: number
  readonly freeSpaceFloorBytes: number
  readonly manifestDriftDays: number
}

export const MAX_UNCLOSED_UPLOADS = 1000

/** A session to send chunks to. `offset` is where to go on in one that was there before. */
export interface CreatedUpload {
  readonly uploadId: UploadId
  readonly offset: number | undefined
}

type CreateRefusal =
  | ManifestRefusal
  | SlotRefusal
  | Refuses<
      'device_not_authorized' | 'album_not_available' | 'upload_too_large' | 'quota_exceeded' | 'storage_unavailable'
    >

interface UploadPorts {
  readonly store: Store
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly quota: Quota
}

export type Uploads = ReturnType<typeof createUploads>

export function createUploads({ store, blobs, clock, random, quota }: UploadPorts, settings: UploadSettings) {
  /** One transaction: place, charge, reservation of the asset, intent. A refusal leaves nothing behind. */
  async function admit(
    tx: WriteTx,
    { accountId, declared, freeBytes }: { accountId: AccountId; declared: Declared; freeBytes: number },
  ): Promise<CreatedUpload | CreateRefusal> {
    const unauthorized = await judgeAuthor(tx, accountId, declared)
    if (unauthorized !== undefined) return unauthorized
    const present = await resumed(tx, accountId, declared)
    if (present !== undefined) return present
    const refused =
      (await judgeSlot(tx, { accountId, ...declared })) ??
      (await sizeRefusal(tx, declared, freeBytes)) ??
      (await countRefusal(tx, accountId)) ??
      (await quota.charge(tx, accountId, declared.size, clock.now()))
    return refused ?? { uploadId: await open(tx, accountId, declared), offset: undefined }
  }

  async function sizeRefusal(
    tx: WriteTx,
    { size }: Declared,
    freeBytes: number,
  ): Promise<Refuses<'upload_too_large' | 'storage_unavailable'> | undefined> {
    if (size > settings.blobBytesMax) return { refused: 'upload_too_large', limit: settings.blobBytesMax }
    const reserved = await tx.uploads.outstandingBytes()
    return freeBytes - reserved - size < settings.freeSpaceFloorBytes ? { refused: 'storage_unavailable' } : undefined
  }

  /** The intent, written before the first byte. */
  async function open(tx: WriteTx, accountId: AccountId, declared: Declared): Promise<UploadId> {
    const { assetId, albumId, role, size, ciphertextHash, contentType, envelope } = declared
    const createdAt = clock.now()
    const uploadId = newTimedId({ random, now: createdAt }, parseUploadId)
    const location = locationOf(ciphertextHash, uploadId)
    if ((await tx.assets.find(assetId)) === undefined) await tx.assets.reserve({ assetId, accountId, albumId })
    await tx.objects.insert({ location, size, state: 'staged', since: createdAt })
    await tx.uploads.insert({
      uploadId,
      accountId,
      assetId,
      albumId,
      role,
      size,
      ciphertextHash,
      contentType,
      envelope,
      declarationHash: hashOf(declared),
      location,
      createdAt,
    })
    return uploadId
  }

  return {
    /** Opens a session for one blob of an asset, or says where the one goes on that is open, or has landed, for the same asset, role and hash. */
    async create(
      { accountId }: Pick<Account, 'accountId'>,
      declared: Declared,
    ): Promise<CreatedUpload | CreateRefusal> {
      const refused = judgeManifest(declared, { now: clock.now(), driftDays: settings.manifestDriftDays })
      if (refused !== undefined) return refused
      const freeBytes = await blobs.freeBytes()
      return store.write((tx) => admit(tx, { accountId, declared, freeBytes }))
    },

    /** All that the account is charged for and that has not landed yet, guests' sessions included. */
    async list(accountId: AccountId): Promise<readonly Upload[]> {
      return store.read((tx) => tx.uploads.unclosedOfAccount(accountId))
    },
  }
}

/**
 * The same asset, role and hash: the session that is on its way, or that brought what is there. An open one goes on under the envelope that was
 * declared last, if there is a place for that: what was declared before may have grown stale, and nothing that is declared is dropped in silence.
 */
async function resumed(
  tx: WriteTx,
  accountId: AccountId,
  declared: Declared,
): Promise<CreatedUpload | SlotRefusal | undefined> {
  const { assetId, role, ciphertextHash, size } = declared
  const isSame = (other: { role: string; ciphertextHash: string; size: number }) =>
    other.role === role && other.ciphertextHash === ciphertextHash && other.size === size
  const asset = await tx.assets.find(assetId)
  if (asset?.accountId !== accountId || asset.deletedAt !== undefined) return undefined
  const landed = (await tx.assets.blobsOf(assetId)).find(isSame)
  if (landed !== undefined) return { uploadId: landed.uploadId, offset: landed.size }
  const coming = (await tx.uploads.unclosedOfAsset(assetId)).find(isSame)
  if (coming === undefined) return undefined
  const { uploadId, receivedBytes: offset } = coming
  const declarationHash = hashOf(declared)
  if (coming.state !== 'open' || coming.declarationHash === declarationHash) return { uploadId, offset }
  const refused = await judgeSlot(tx, { accountId, ...declared, uploadId })
  if (refused !== undefined) return refused
  await tx.uploads.redeclare(uploadId, { ...declared, declarationHash })
  return { uploadId, offset }
}

async function countRefusal(tx: WriteTx, accountId: AccountId): Promise<Refuses<'limit_reached'> | undefined> {
  return (await tx.uploads.countUnclosedOwn(accountId)) < MAX_UNCLOSED_UPLOADS
    ? undefined
    : { refused: 'limit_reached', detail: `an account has at most ${MAX_UNCLOSED_UPLOADS} uploads under way` }
}

function hashOf(declared: Declared): string {
  return createHash('sha256').update(JSON.stringify(declared)).digest('hex')
}

/** One that ended is as if it had never been. */
export function isGone(upload: Upload | undefined): upload is undefined {
  return upload === undefined || upload.state === 'ended'
}

/**
 * A drop session as those see it who hold its link and its id. An owner's suspension looks as a revoked link does: what is open is not there, what is
 * finishing lands, and what has landed answers as it did.
 */
export async function findDropUpload(
  store: Store,
  { opaqueId, uploadId }: { readonly opaqueId: OpaqueId; readonly uploadId: UploadId },
): Promise<DropUpload | Refuses<'upload_not_found'>> {
  const [upload, owner] = await store.read(async (tx) => {
    const found = await tx.uploads.find(uploadId)
    return [found, found?.state === 'open' ? await tx.accounts.find(found.accountId) : undefined]
  })
  const isHidden = owner?.suspendedAt !== undefined
  return isGone(upload) || upload.assetId !== undefined || upload.opaqueId !== opaqueId || isHidden
    ? { refused: 'upload_not_found' }
    : upload
}

/** A session of the account's own, as it sees it. */
export async function findOwnUpload(
  store: Store,
  scope: { readonly accountId: AccountId; readonly uploadId: UploadId },
): Promise<AssetUpload | Refuses<'upload_not_found'>> {
  const upload = await findCharged(store, scope)
  return isRefusal(upload) || upload.assetId === undefined ? { refused: 'upload_not_found' } : upload
}

/** A session that the account is charged for: its own, or a guest's. */
export async function findCharged(
  store: Store,
  { accountId, uploadId }: { readonly accountId: AccountId; readonly uploadId: UploadId },
): Promise<Upload | Refuses<'upload_not_found'>> {
  const upload = await store.read((tx) => tx.uploads.find(uploadId))
  return isGone(upload) || upload.accountId !== accountId ? { refused: 'upload_not_found' } : upload
}

/** What every landing does with the session and its object, in the transaction that appends the receipt. */
export async function markLanded(tx: WriteTx, { uploadId, location }: Upload, at: Instant): Promise<void> {
  const left = await tx.uploads.move(uploadId, { from: 'finishing', to: 'landed', at })
  const kept = await tx.objects.move(location, { from: 'staged', to: 'kept', at })
  if (!left || !kept) throw new Error('a session left the finishing state beside the receipt log')
}
