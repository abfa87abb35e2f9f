/** Thumbnails of the owner's pictures: sealed beside them, so that an album need not fetch the pictures. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import { type DeviceId, formatInstant, type Sha256Hex } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import { AssetError } from '../assets/assetError.ts'
import { type AssetBlob, type AssetFacts, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { KnownDevices } from '../assets/knownDevices.ts'
import { readWholeBlob } from '../assets/readBlob.ts'
import { MAX_THUMBNAIL_SEALED_BYTES, openThumbnail, sealThumbnail } from '../assets/thumbnail.ts'
import { type SignedVouchedAsset, vouchForSigned } from '../assets/vouchedAsset.ts'
import { ProblemError } from '../http/errors.ts'
import { SealError } from '../seal/sealError.ts'
import { sendBlob } from '../send/sendBlob.ts'
import { CLIENT_VERSION, protocolVersionFor } from './clientVersion.ts'
import { smallBlob } from './smallBlob.ts'
import { uploadPath } from './uploadPath.ts'

/** The file that the picture shows. */
export interface PictureOf {
  readonly assetId: string
  /** SHA-256 of the sealed original, as this client has sealed or opened it; lowercase hex. */
  readonly originalHash: Sha256Hex
}

interface AddThumbnail {
  /** The device that is named as the writer; nothing is signed. By default a device of the account that may write. */
  readonly device?: { readonly deviceId: DeviceId } | undefined
  /** Also for an asset that was signed by a device that was revoked since. */
  readonly allowRevokedDevice?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

type ReadThumbnail = Omit<AddThumbnail, 'device'>

export interface OwnerThumbnails {
  /**
   * Adds a thumbnail to the asset. `picture` is WebP, JPEG or PNG, at most 64 KiB. Sends nothing when the asset has a
   * thumbnail that opens. The server deletes the thumbnail when the original is replaced. Throws `RangeError` for
   * another picture and when no device may write, `AssetUnsigned` when no live device vouches for the asset,
   * `AssetError` when another original was signed, `SendError`, and what a call throws.
   */
  addThumbnail(of: PictureOf, picture: Uint8Array, options?: AddThumbnail): Promise<void>
  /**
   * The picture, sealed by a client of the account for the very original that a device has signed; undefined when there
   * is none that opens. Throws `AssetUnsigned` when no live device vouches for the asset, what `openAsset` throws when
   * its facts contradict the signature, and what a call throws.
   */
  readThumbnail(asset: string | AssetFacts, options?: ReadThumbnail): Promise<Bytes | undefined>
}

export function createOwnerThumbnails(ports: AssetPorts, known: KnownDevices): OwnerThumbnails {
  const { call } = ports
  return {
    async addThumbnail({ assetId, originalHash }, picture, { device, signal, ...permissions } = {}) {
      const asset = await readAsset(call, assetId, signal)
      const vouched = await vouchForSigned(ports, asset, permissions, signal)
      const { original } = vouched
      if (original.hash !== originalHash)
        throw new AssetError('asset_differs', 'the server states another original than the one that the picture shows')
      if ((await readOf(ports, vouched, signal)) !== undefined) return
      const blob = smallBlob(ports.environment, await sealThumbnail(ports.accountKey, vouched, picture))
      const envelope = await envelopeOf(ports, { asset, original, device, signal })
      await sendBlob({
        path: uploadPath(call, { role: 'derivative', hash: blob.hash, size: blob.bytes.length, envelope }),
        size: blob.bytes.length,
        segments: { first: 0, each: SEGMENT_SEALED_BYTES },
        readChunk: async (from, to) => blob.bytes.slice(from, to),
        uploadId: undefined,
        suggestedChunkBytes: blob.bytes.length,
        signal,
        environment: ports.environment,
      })
    },

    async readThumbnail(which, { signal, ...permissions } = {}) {
      const asset = typeof which === 'string' ? await readAsset(call, which, signal) : which
      const vouched = await known.using((devices) => vouchForSigned({ ...ports, devices }, asset, permissions, signal))
      return readOf(ports, vouched, signal)
    },
  }
}

async function readOf(
  ports: AssetPorts,
  { asset, original }: SignedVouchedAsset,
  signal?: AbortSignal,
): Promise<Bytes | undefined> {
  const likely = asset.blobs.filter(({ role, size }) => role === 'derivative' && size <= MAX_THUMBNAIL_SEALED_BYTES)
  for (const { hash } of likely) {
    try {
      const sealed = await readWholeBlob(ports, { hash, bytesMax: MAX_THUMBNAIL_SEALED_BYTES, signal })
      const picture = await openThumbnail(ports.accountKey, { asset, original }, sealed)
      if (picture !== undefined) return picture
    } catch (error) {
      if (!isNone(error)) throw error
    }
  }
  return undefined
}

/** A blob that does not open, or is missing or withheld, is no thumbnail: the page shows an icon. */
function isNone(error: unknown): boolean {
  if (error instanceof ProblemError) return ['error.blob.not_found', 'error.blob.withheld'].includes(error.code)
  return error instanceof SealError || error instanceof AssetError
}

interface DerivativeOf {
  readonly asset: AssetFacts
  readonly original: AssetBlob
  readonly device: AddThumbnail['device']
  readonly signal: AbortSignal | undefined
}

/** The envelope of the original, with this writer: it binds the derivative to this very original. */
async function envelopeOf(
  ports: AssetPorts,
  { asset, original, device, signal }: DerivativeOf,
): Promise<ManifestEnvelope> {
  const { body: info } = await ports.call('serverInfo', { signal })
  return {
    ...asset.envelope,
    protocol_version: protocolVersionFor(info),
    album_id: asset.albumId,
    original_blob_hash: original.hash,
    created_by_user: ports.accountId,
    created_by_device: device?.deviceId ?? (await anyWriter(ports, asset)),
    client_version: CLIENT_VERSION,
    timestamp: formatInstant(ports.environment.now()),
  }
}

async function anyWriter({ devices }: AssetPorts, { envelope }: AssetFacts): Promise<DeviceId> {
  const live = (await devices()).filter(({ isOwn, revokedAt }) => isOwn && revokedAt === undefined)
  const writer = live.find(({ deviceId }) => deviceId === envelope.created_by_device) ?? live.at(-1)
  if (writer === undefined) throw new RangeError('no device of the account may write')
  return writer.deviceId
}
