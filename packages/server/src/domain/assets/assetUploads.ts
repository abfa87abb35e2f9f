/**
 * Creates an owner's upload sessions: open → finishing → landed | failed, or open → ended. findUpload.ts finds them,
 * chunks.ts fills them, finishing.ts lands them, uploadEnding.ts ends them.
 */
import { createHash } from 'node:crypto'
import { type AccountId, type Instant, parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import { type AssetBlob, accountLock, type Store, type WriteTx } from '../../ports/store.ts'
import { isDoubted, type Serving } from '../custody/servable.ts'
import { judgeBound } from '../ground/bounds.ts'
import { listOf } from '../ground/lists.ts'
import { locationOf } from '../ground/location.ts'
import { newTimedId } from '../ground/newId.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Spender } from '../ground/sessionShare.ts'
import type { Quota } from '../quota/quota.ts'
import type { Room } from '../quota/room.ts'
import { type Declared, judgeAuthor, judgeManifest, type ManifestRefusal, type ManifestSettings } from './manifest.ts'
import { blobOf } from './renewal.ts'
import { statedRetention } from './retention.ts'
import { judgeSlot, type SlotRefusal, takeAssetId } from './slot.ts'

export interface UploadSettings extends ManifestSettings {
  readonly blobBytesMax: number
}

/** `offset` is where an existing upload continues; undefined for a new upload. */
export interface CreatedUpload {
  readonly uploadId: UploadId
  readonly offset: number | undefined
}

/** `landed`: the blob of a landed upload. */
type Admitted = CreatedUpload & { readonly landed?: AssetBlob }

type CreateRefusal =
  | ManifestRefusal
  | SlotRefusal
  | Refuses<'device_not_authorized' | 'album_not_available' | 'upload_too_large' | 'quota_exceeded' | 'storage_full'>
  | Unavailable

type Unavailable = Refuses<'storage_unavailable'>

const UNAVAILABLE: Unavailable = { refused: 'storage_unavailable' }

interface UploadPorts {
  readonly store: Store
  readonly serving: Pick<Serving, 'isWhole'>
  readonly room: Room
  readonly clock: Clock
  readonly random: Random
  readonly quota: Quota
}

export type Uploads = ReturnType<typeof createUploads>

export function createUploads({ store, serving, room, clock, random, quota }: UploadPorts, settings: UploadSettings) {
  /** One transaction: slot, room, quota, reserved asset id, upload row. A refusal changes nothing. */
  async function admit(tx: WriteTx, spender: Spender, declared: Declared): Promise<Admitted | CreateRefusal> {
    const { accountId } = spender
    const unauthorized = await judgeAuthor(tx, accountId, declared)
    if (unauthorized !== undefined) return unauthorized
    const present = await resume(tx, accountId, declared)
    if (present !== undefined) return present
    const refused =
      (await judgeSlot(tx, { accountId, ...declared })) ??
      (await judgeSize(tx, accountId, declared)) ??
      (await judgeCount(tx, accountId)) ??
      (await quota.charge(tx, accountId, declared.size, clock.now())) ??
      (await takeAssetId(tx, { accountId, ...declared }))
    return refused ?? { uploadId: await open(tx, spender, declared), offset: undefined }
  }

  async function judgeSize(
    tx: WriteTx,
    accountId: AccountId,
    { size }: Declared,
  ): Promise<Refuses<'upload_too_large' | 'storage_full'> | undefined> {
    if (size > settings.blobBytesMax) return { refused: 'upload_too_large', limit: settings.blobBytesMax }
    return (await room.admits(tx, { accountId, size })) ? undefined : { refused: 'storage_full' }
  }

  /** Writes the intent, before the first byte arrives. */
  async function open(tx: WriteTx, { accountId, sessionId }: Spender, declared: Declared): Promise<UploadId> {
    const { assetId, albumId, role, size, ciphertextHash, contentType, envelope } = declared
    const createdAt = clock.now()
    const uploadId = newTimedId({ random, now: createdAt }, parseUploadId)
    const location = locationOf(ciphertextHash, uploadId)
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
      sessionId,
      declarationHash: hashOf(declared),
      location,
      createdAt,
    })
    return uploadId
  }

  return {
    /**
     * Opens an upload of a blob, or answers with the unclosed or landed one of the same asset, role, hash and size. Of
     * a landed one this says that the server has the bytes: so only if they are there, and not in doubt.
     */
    async create({ accountId, sessionId }: Spender, declared: Declared): Promise<CreatedUpload | CreateRefusal> {
      const signed = await signedRetentionOf(store, accountId, declared)
      const refused = judgeManifest(declared, clock.now(), settings, signed)
      if (refused !== undefined) return refused
      await room.measure()
      const admitted = await store.write([accountLock(accountId)], (tx) =>
        admit(tx, { accountId, sessionId }, declared),
      )
      if (isRefusal(admitted)) return admitted
      const { uploadId, offset, landed } = admitted
      return landed === undefined || (await serving.isWhole(landed)) ? { uploadId, offset } : UNAVAILABLE
    },

    /** Every open or finishing upload that charges the account, guests' uploads included. */
    list: listOf(store, { rows: (tx) => tx.uploads, gone: { refused: 'upload_not_found' } }),
  }
}

/**
 * The upload of an earlier request for the same blob: landed, finishing or open. An open one takes over the new
 * declaration, if the slot admits it: the earlier one may have grown stale, and no declaration is dropped silently.
 */
async function resume(
  tx: WriteTx,
  accountId: AccountId,
  declared: Declared,
): Promise<Admitted | SlotRefusal | Unavailable | undefined> {
  const { assetId, role, ciphertextHash, size } = declared
  const isSame = (other: { role: string; ciphertextHash: string; size: number }) =>
    other.role === role && other.ciphertextHash === ciphertextHash && other.size === size
  const asset = await tx.assets.find(assetId)
  if (asset?.accountId !== accountId || asset.deletedAt !== undefined) return undefined
  const landed = (await tx.assets.blobsOf(assetId)).find(isSame)
  if (landed !== undefined)
    return (await isDoubted(tx, landed)) ? UNAVAILABLE : { uploadId: landed.uploadId, offset: landed.size, landed }
  const unclosed = (await tx.uploads.unclosedOfAsset(assetId)).find(isSame)
  if (unclosed === undefined) return undefined
  const { uploadId, receivedBytes: offset } = unclosed
  const declarationHash = hashOf(declared)
  if (unclosed.state !== 'open' || unclosed.declarationHash === declarationHash) return { uploadId, offset }
  const refused = await judgeSlot(tx, { accountId, ...declared, uploadId })
  if (refused !== undefined) return refused
  await tx.uploads.redeclare(uploadId, { ...declared, declarationHash })
  return { uploadId, offset }
}

/** Undefined unless it replaces what a manifest of the account retains. */
async function signedRetentionOf(
  store: Store,
  accountId: AccountId,
  { assetId, envelope }: Declared,
): Promise<Instant | undefined> {
  if (envelope.action !== 'replace' || statedRetention(envelope) === undefined) return undefined
  return store.read(async (tx) => {
    if ((await tx.assets.find(assetId))?.accountId !== accountId) return undefined
    const provenance = blobOf(await tx.assets.blobsOf(assetId), 'provenance')
    return provenance && statedRetention(provenance.envelope)
  })
}

async function judgeCount(tx: WriteTx, accountId: AccountId): Promise<Refuses<'limit_reached'> | undefined> {
  return judgeBound('unfinished uploads', await tx.uploads.countUnclosedOwn(accountId))
}

function hashOf(declared: Declared): string {
  return createHash('sha256').update(JSON.stringify(declared)).digest('hex')
}
