import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import {
  type AccountId,
  type AlbumId,
  type AssetId,
  type DeviceId,
  formatInstant,
  parseAlbumId,
  parseAssetId,
  parseDeviceId,
  parseProtocolVersion,
  type UploadId,
} from '@blindkeep/protocol/ids'
import { joinHybridPublicKey, keyId } from '@blindkeep/protocol/keys'
import { assembleManifest, manifestToBeSigned } from '@blindkeep/protocol/manifest'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { SEGMENT_PLAINTEXT_BYTES } from '@blindkeep/protocol/suites'
import { pendingDrops } from '../contracts/store/world.ts'
import type { AssetView } from '../domain/assets/assetView.ts'
import type { Declared } from '../domain/assets/manifest.ts'
import type { AdoptionRefusal } from '../domain/drops/adoption.ts'
import type { Drop, ReadTx, Upload } from '../ports/store.ts'
import { accountRow, append, land, newLink, notRefused } from './guest.ts'
import { defined, newAccount, sha256, type World } from './world.ts'

/** An owner of assets in tests of the rules. */
export interface AlbumOwner {
  readonly accountId: AccountId
  readonly albumId: AlbumId
  readonly deviceId: DeviceId
  readonly keys: DeviceKeys
}

interface DeviceKeys {
  readonly ed25519: KeyObject
  readonly mlDsa65: KeyObject
  readonly publicKey: Uint8Array
}

export const newAssetId = (): AssetId => defined(parseAssetId(randomUUID()))
const version = defined(parseProtocolVersion('2026-11-01'))

/** An account with an album and a device. */
export async function newAlbumOwner(world: World, owner?: AccountId): Promise<AlbumOwner> {
  const accountId = owner ?? (await newAccount(world))
  const albumId = defined(parseAlbumId(randomUUID()))
  const deviceId = defined(parseDeviceId(randomUUID()))
  const keys = newDeviceKeys()
  notRefused(await world.rules.albums.create(accountId, { albumId, sealedName: undefined }))
  notRefused(await world.rules.devices.add(accountId, { deviceId, publicKey: keys.publicKey, mac: undefined }))
  return { accountId, albumId, deviceId, keys }
}

export function newDeviceKeys(): DeviceKeys {
  const ed25519 = generateKeyPairSync('ed25519')
  const mlDsa65 = generateKeyPairSync('ml-dsa-65')
  const raw = (key: KeyObject) => new Uint8Array(key.export({ format: 'raw-public' }))
  const publicKey = joinHybridPublicKey({ ed25519: raw(ed25519.publicKey), mlDsa65: raw(mlDsa65.publicKey) })
  return { ed25519: ed25519.privateKey, mlDsa65: mlDsa65.privateKey, publicKey }
}

export type Overrides = Partial<Omit<Declared, 'envelope'>> & { readonly envelope?: Partial<ManifestEnvelope> }

/** A valid declaration for these bytes, changed by `over`. */
export function declaredFor(
  world: World,
  albumOwner: AlbumOwner,
  content: Uint8Array,
  overrides: Overrides = {},
): Declared {
  const { envelope, ...rest } = overrides
  const declared = {
    assetId: newAssetId(),
    albumId: albumOwner.albumId,
    role: 'original' as BlobRole,
    size: content.length,
    ciphertextHash: sha256(content),
    contentType: 'application/octet-stream',
    suiteId: 1,
    protocolVersion: version,
    keyMode: 'derived' as const,
    ...rest,
  }
  return {
    ...declared,
    envelope: {
      crypto_suite_id: 1,
      protocol_version: version,
      album_id: declared.albumId,
      file_id: declared.assetId,
      amk_version: 1,
      ciphertext_hash: declared.ciphertextHash,
      plaintext_size: 0,
      chunk_size: SEGMENT_PLAINTEXT_BYTES,
      key_mode: declared.keyMode,
      created_by_user: albumOwner.accountId,
      created_by_device: albumOwner.deviceId,
      client_version: 'test/1',
      timestamp: formatInstant(world.clock.now()),
      action: 'create',
      ...envelope,
    },
  }
}

/** A valid declaration that adopts this drop, changed by `over`. */
export function declaredForDrop(
  world: World,
  albumOwner: AlbumOwner,
  { size, ciphertextHash }: Pick<Drop, 'size' | 'ciphertextHash'>,
  overrides: Overrides = {},
): Declared {
  return declaredFor(world, albumOwner, new Uint8Array(), { size, ciphertextHash, ...overrides })
}

/** The envelope of a drop that replaces an original without a provenance. */
export const replacingByDrop = ({ ciphertextHash }: Pick<Drop, 'ciphertextHash'>) =>
  ({ envelope: { action: 'replace', original_blob_hash: ciphertextHash } }) as const

/** Opens a session for a declared blob and sends all bytes. */
export async function uploadBlob(world: World, declared: Declared, content: Uint8Array, albumOwner: AlbumOwner) {
  const created = await world.rules.uploads.create(await accountRow(world, albumOwner.accountId), declared)
  const { uploadId } = notRefused(created)
  return { uploadId, answer: await append(world, uploadId, { offset: 0, bytes: content }) }
}

export async function landBlob(
  world: World,
  albumOwner: AlbumOwner,
  content: Uint8Array,
  overrides: Overrides = {},
): Promise<UploadId> {
  const { uploadId, answer } = await uploadBlob(
    world,
    declaredFor(world, albumOwner, content, overrides),
    content,
    albumOwner,
  )
  notRefused(answer)
  return uploadId
}

/** An envelope's provenance blob, signed by a device. Wrapped keys are any bytes. `ciphertext_hash`: the original's. */
export function provenanceOf(envelope: ManifestEnvelope, keys: DeviceKeys): Uint8Array {
  const id = keyId(keys.publicKey)
  const wrappedKey = envelope.key_mode === 'wrapped' ? new Uint8Array(60) : undefined
  const toBeSigned = manifestToBeSigned({ envelope, wrappedKey }, id)
  return assembleManifest(toBeSigned, {
    ed25519: new Uint8Array(sign(null, toBeSigned.ed25519, keys.ed25519)),
    mlDsa65: new Uint8Array(sign(null, toBeSigned.mlDsa65, keys.mlDsa65)),
  })
}

/** A pending drop of this account. */
export async function newDrop(world: World, albumOwner: AlbumOwner, content: Uint8Array): Promise<Drop> {
  const opaqueId = await newLink(world, {}, albumOwner.accountId)
  const uploadId = await land(world, opaqueId, content)
  const pending = await world.store.read((tx) => pendingDrops(tx, albumOwner.accountId))
  return defined(pending.find((drop) => drop.uploadId === uploadId))
}

export function adopt(
  world: Pick<World, 'rules'>,
  albumOwner: AlbumOwner,
  drop: Drop,
  declared: Declared,
): Promise<AssetId | AdoptionRefusal> {
  return world.rules.adopt({ accountId: albumOwner.accountId, dropId: drop.dropId, declared })
}

export async function assetOf(world: World, albumOwner: AlbumOwner, assetId: AssetId): Promise<AssetView> {
  return notRefused(await world.rules.assets.get(albumOwner.accountId, assetId))
}

/** The sum of the sizes that an account is charged for. */
export async function chargedRows(
  { store }: World,
  accountId: AccountId,
  assetIds: readonly AssetId[],
): Promise<number> {
  return store.read(async (tx) => {
    const blobs = []
    for (const assetId of assetIds) blobs.push(...(await tx.assets.blobsOf(assetId)))
    const rows = [...(await unclosedOf(tx, accountId)), ...(await pendingDrops(tx, accountId)), ...blobs]
    return rows.reduce((sum, { size }) => sum + size, await tx.bin.bytesOf(accountId))
  })
}

/** Open and finishing sessions of one account, its guests' included. */
export async function unclosedOf(tx: ReadTx, accountId: AccountId): Promise<readonly Upload[]> {
  return [...(await tx.uploads.finishingOfAccount(accountId)), ...(await tx.uploads.openOfAccount(accountId, 1000))]
}
