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
import type { AssetView } from '../domain/assets/assetView.ts'
import type { Declared } from '../domain/assets/manifest.ts'
import type { AdoptionRefusal } from '../domain/drops/adoption.ts'
import type { Drop } from '../ports/store.ts'
import { accountRow, admitted, append, land, newLink } from './guest.ts'
import { known, newAccount, sha256, type World } from './world.ts'

/** An owner of assets in tests of the rules. */
export interface Keeper {
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

export const newAssetId = (): AssetId => known(parseAssetId(randomUUID()))
const version = known(parseProtocolVersion('2026-11-01'))

/** An account with an album and a device. */
export async function newKeeper(world: World, owner?: AccountId): Promise<Keeper> {
  const accountId = owner ?? (await newAccount(world))
  const albumId = known(parseAlbumId(randomUUID()))
  const deviceId = known(parseDeviceId(randomUUID()))
  const keys = newDeviceKeys()
  admitted(await world.rules.albums.create(accountId, { albumId, sealedName: undefined }))
  admitted(await world.rules.devices.add(accountId, { deviceId, publicKey: keys.publicKey, mac: undefined }))
  return { accountId, albumId, deviceId, keys }
}

export function newDeviceKeys(): DeviceKeys {
  const ed25519 = generateKeyPairSync('ed25519')
  const mlDsa65 = generateKeyPairSync('ml-dsa-65')
  const raw = (key: KeyObject) => new Uint8Array(key.export({ format: 'raw-public' }))
  const publicKey = joinHybridPublicKey({ ed25519: raw(ed25519.publicKey), mlDsa65: raw(mlDsa65.publicKey) })
  return { ed25519: ed25519.privateKey, mlDsa65: mlDsa65.privateKey, publicKey }
}

export type Over = Partial<Omit<Declared, 'envelope'>> & { readonly envelope?: Partial<ManifestEnvelope> }

/** A valid declaration for these bytes, changed by `over`. */
export function declaredFor(world: World, keeper: Keeper, content: Uint8Array, over: Over = {}): Declared {
  const { envelope, ...rest } = over
  const declared = {
    assetId: newAssetId(),
    albumId: keeper.albumId,
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
      created_by_user: keeper.accountId,
      created_by_device: keeper.deviceId,
      client_version: 'test/1',
      timestamp: formatInstant(world.clock.now()),
      action: 'create',
      ...envelope,
    },
  }
}

/** Opens a session for a declared blob and sends all bytes. */
export async function uploadBlob(world: World, declared: Declared, content: Uint8Array, keeper: Keeper) {
  const created = await world.rules.uploads.create(await accountRow(world, keeper.accountId), declared)
  const { uploadId } = admitted(created)
  return { uploadId, answer: await append(world, uploadId, { offset: 0, bytes: content }) }
}

export async function landBlob(world: World, keeper: Keeper, content: Uint8Array, over: Over = {}): Promise<UploadId> {
  const { uploadId, answer } = await uploadBlob(world, declaredFor(world, keeper, content, over), content, keeper)
  admitted(answer)
  return uploadId
}

/** The provenance blob of an envelope, signed by a device. A wrapped key is some bytes. `ciphertext_hash` must be that of the original. */
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
export async function newDrop(world: World, keeper: Keeper, content: Uint8Array): Promise<Drop> {
  const opaqueId = await newLink(world, {}, keeper.accountId)
  const uploadId = await land(world, opaqueId, content)
  const pending = await world.store.read((tx) => tx.drops.pendingOf(keeper.accountId))
  return known(pending.find((drop) => drop.uploadId === uploadId))
}

export function adopt(
  world: Pick<World, 'rules'>,
  keeper: Keeper,
  drop: Drop,
  declared: Declared,
): Promise<AssetId | AdoptionRefusal> {
  return world.rules.adopt({ accountId: keeper.accountId, dropId: drop.dropId, declared })
}

export async function assetOf(world: World, keeper: Keeper, assetId: AssetId): Promise<AssetView> {
  return admitted(await world.rules.assets.get(keeper.accountId, assetId))
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
    const rows = [
      ...(await tx.uploads.unclosedOfAccount(accountId)),
      ...(await tx.drops.pendingOf(accountId)),
      ...blobs,
    ]
    return rows.reduce((sum, { size }) => sum + size, 0)
  })
}
