/** Owners' upload sessions for assets, and the rules that all rows of a world must keep. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type AccountId, type AssetId, addSeconds, parseAlbumId, type UploadId } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { pendingDrops } from '../contracts/store/world.ts'
import type { Declared } from '../domain/assets/manifest.ts'
import { isRefusal } from '../domain/ground/refusals.ts'
import type { Asset, AssetUpload, ObjectState } from '../ports/store.ts'
import {
  type AlbumOwner,
  chargedRows,
  declaredFor,
  landBlob,
  type Overrides,
  provenanceOf,
  unclosedOf,
} from './assets.ts'
import { accountRow, inPieces, never, notRefused } from './guest.ts'
import { defined, sha256, type World } from './world.ts'

/** Opens a session for these bytes without sending any. */
export async function openBlob(
  world: World,
  albumOwner: AlbumOwner,
  content: Uint8Array,
  overrides: Overrides = {},
): Promise<UploadId> {
  return openDeclared(world, albumOwner, declaredFor(world, albumOwner, content, overrides))
}

export async function openDeclared(world: World, { accountId }: AlbumOwner, declared: Declared): Promise<UploadId> {
  return notRefused(await world.rules.uploads.create(await accountRow(world, accountId), declared)).uploadId
}

/** The reason of a refusal, `opened`, or `present` when the blob or its session is there. */
export async function creation(world: World, { accountId }: AlbumOwner, declared: Declared): Promise<string> {
  const answer = await world.rules.uploads.create(await accountRow(world, accountId), declared)
  if (isRefusal(answer)) return answer.refused
  return answer.offset === undefined ? 'opened' : 'present'
}

/** An owner's session. */
export async function blobRow({ store }: World, uploadId: UploadId): Promise<AssetUpload> {
  const upload = defined(await store.read((tx) => tx.uploads.find(uploadId)))
  if (upload.assetId === undefined) throw new Error('the session is a guest’s')
  return upload
}

export async function cancelBlob(world: World, uploadId: UploadId): Promise<void> {
  notRefused(await world.rules.ending.cancel(await blobRow(world, uploadId)))
}

/** Another album of the same account. */
export async function otherAlbum(world: World, albumOwner: AlbumOwner): Promise<AlbumOwner> {
  const albumId = defined(parseAlbumId(randomUUID()))
  notRefused(await world.rules.albums.create(albumOwner.accountId, { albumId, sealedName: undefined }))
  return { ...albumOwner, albumId }
}

/** Left by a process that dies after the last byte: an owner's finishing session with durable bytes. */
export async function leaveBlobFinishing(world: World, uploadId: UploadId, content: Uint8Array): Promise<void> {
  const { location, size } = await blobRow(world, uploadId)
  const at = world.clock.now()
  await world.blobs.write(
    { location, key: undefined, offset: 0 },
    { body: inPieces(content), signal: never, onBytes: () => undefined },
  )
  await world.blobs.settle(location, size)
  await world.store.write([], async (tx) => {
    await tx.uploads.append(uploadId, { offset: 0, length: size, checksum: sha256(content) }, at)
    await tx.uploads.move(uploadId, { from: 'open', to: 'finishing', at })
  })
}

interface SignedBlob {
  readonly declared: Declared
  readonly content: Uint8Array
}

/** A provenance blob of an original with these bytes, and its declaration. `over` changes the declaration. */
export function provenanceFor(
  world: World,
  albumOwner: AlbumOwner,
  original: Uint8Array,
  overrides: Overrides = {},
): SignedBlob {
  const signed = declaredFor(world, albumOwner, original, { ...overrides, role: 'original' }).envelope
  const content = provenanceOf(signed, albumOwner.keys)
  const envelope: Partial<ManifestEnvelope> = { ...signed, ciphertext_hash: sha256(content) }
  return { content, declared: declaredFor(world, albumOwner, content, { ...overrides, envelope, role: 'provenance' }) }
}

export interface Bundle {
  readonly assetId: AssetId
  readonly original: Uint8Array
  /** Hash of the provenance blob. */
  readonly position: ReturnType<typeof sha256>
}

/** Lands the provenance of an original that has landed. */
export async function landProvenance(
  world: World,
  albumOwner: AlbumOwner,
  { assetId, original, envelope }: Pick<Bundle, 'assetId' | 'original'> & { readonly envelope?: Overrides['envelope'] },
): Promise<Bundle> {
  const overrides = { assetId, ...(envelope && { envelope }) }
  const { content, declared } = provenanceFor(world, albumOwner, original, overrides)
  await landBlob(world, albumOwner, content, { assetId, role: 'provenance', envelope: declared.envelope })
  return { assetId, original, position: sha256(content) }
}

/** A blob of this role that names `original` as its original. */
export const ofOriginal = (role: BlobRole, original: Uint8Array): Overrides => ({
  role,
  envelope: { original_blob_hash: sha256(original) },
})

/** The envelope of a replacement by these bytes, after this provenance or after none. */
export function replacing(original: Uint8Array, position?: Bundle['position']): Partial<ManifestEnvelope> {
  const prior = position && { prior_provenance_hash: position }
  return { action: 'replace', original_blob_hash: sha256(original), ...prior }
}

export async function assetRow({ store }: World, assetId: AssetId): Promise<Asset | undefined> {
  return store.read((tx) => tx.assets.find(assetId))
}

/** Locations of all objects in a state. */
export async function objectsIn({ store, clock }: World, state: ObjectState): Promise<readonly string[]> {
  const objects = await store.read((tx) => tx.objects.listIn(state, addSeconds(clock.now(), 86_400), 10_000))
  return objects.map(({ location }) => location)
}

/**
 * Over all accounts and assets of a world: the used bytes are the sum of the rows, a kept object belongs to exactly one
 * blob or drop, a staged one to exactly one session, and no asset id stays reserved without a session.
 */
export async function assertBooks(
  world: World,
  accounts: readonly AccountId[],
  assetIds: readonly AssetId[],
): Promise<void> {
  const kept: string[] = []
  const staged: string[] = []
  for (const accountId of accounts) {
    const own = await ofAccount(world, accountId, assetIds)
    assert.equal((await accountRow(world, accountId)).usedBytes, await chargedRows(world, accountId, own.assetIds))
    kept.push(...own.kept)
    staged.push(...own.staged)
  }
  assert.deepEqual(kept.toSorted(), (await objectsIn(world, 'kept')).toSorted())
  assert.deepEqual(staged.toSorted(), (await objectsIn(world, 'staged')).toSorted())
  for (const assetId of assetIds) {
    const asset = await assetRow(world, assetId)
    if (asset === undefined || asset.createdAt !== undefined) continue
    const coming = await world.store.read((tx) => tx.uploads.unclosedOfAsset(assetId))
    assert.notEqual(coming.length, 0, 'an asset id is reserved without a session')
  }
}

/** The account's assets among these, and the locations of its objects. */
async function ofAccount({ store }: World, accountId: AccountId, assetIds: readonly AssetId[]) {
  return store.read(async (tx) => {
    const locationsOf = (rows: readonly { readonly location: string }[]) => rows.map(({ location }) => location)
    const own: AssetId[] = []
    const kept = locationsOf(await pendingDrops(tx, accountId))
    for (const assetId of new Set(assetIds)) {
      if ((await tx.assets.find(assetId))?.accountId !== accountId) continue
      own.push(assetId)
      kept.push(...locationsOf(await tx.assets.blobsOf(assetId)))
    }
    return { assetIds: own, kept, staged: locationsOf(await unclosedOf(tx, accountId)) }
  })
}
