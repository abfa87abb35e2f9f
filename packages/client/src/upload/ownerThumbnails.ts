/** Thumbnails of the owner's pictures: sealed beside them, so that an album need not fetch the pictures. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import { type DeviceId, formatInstant } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { SEGMENT_SEALED_BYTES } from '@blindkeep/protocol/suites'
import { AssetError, AssetIncomplete } from '../assets/assetError.ts'
import { type AssetBlob, type AssetFacts, blobOf, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { readWholeBlob } from '../assets/readBlob.ts'
import { MAX_THUMBNAIL_SEALED_BYTES, openThumbnail, sealThumbnail } from '../assets/thumbnail.ts'
import { ProblemError } from '../http/errors.ts'
import { SealError } from '../seal/sealError.ts'
import { sendBlob } from '../send/sendBlob.ts'
import { CLIENT_VERSION, protocolVersionFor } from './clientVersion.ts'
import { smallBlob } from './smallBlob.ts'
import { uploadPath } from './uploadPath.ts'

export interface AddThumbnail {
  /** The device that is named as the writer; nothing is signed. By default a device of the account that may write. */
  readonly device?: { readonly deviceId: DeviceId } | undefined
  readonly signal?: AbortSignal | undefined
}

export interface OwnerThumbnails {
  /**
   * Adds a thumbnail to the asset. `picture` is WebP, JPEG or PNG, at most 64 KiB. Sends nothing when the asset has a thumbnail that opens. The server
   * deletes the thumbnail when the original is replaced. Throws `RangeError` for another picture and when no device may write, `AssetIncomplete` when
   * the original is missing, `SendError`, and what a call throws.
   */
  addThumbnail(assetId: string, picture: Uint8Array, options?: AddThumbnail): Promise<void>
  /**
   * The picture, sealed by a client of the account for this very asset; undefined when there is none that opens. It is not signed: for an asset whose
   * original was replaced, a malicious server can return the thumbnail of a former original. Throws what a call throws.
   */
  readThumbnail(
    asset: string | AssetFacts,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Bytes | undefined>
}

export function createOwnerThumbnails(ports: AssetPorts): OwnerThumbnails {
  const { call } = ports
  return {
    async addThumbnail(assetId, picture, { device, signal } = {}) {
      const asset = await readAsset(call, assetId, signal)
      const original = blobOf(asset, 'original')
      if (original === undefined) throw new AssetIncomplete(['original'], 'Finish its upload first.')
      if ((await readOf(ports, asset, signal)) !== undefined) return
      const blob = smallBlob(ports.environment, await sealThumbnail(ports.accountKey, asset, picture))
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

    async readThumbnail(asset, { signal } = {}) {
      return readOf(ports, typeof asset === 'string' ? await readAsset(call, asset, signal) : asset, signal)
    },
  }
}

async function readOf(ports: AssetPorts, asset: AssetFacts, signal?: AbortSignal): Promise<Bytes | undefined> {
  const likely = asset.blobs.filter(({ role, size }) => role === 'derivative' && size <= MAX_THUMBNAIL_SEALED_BYTES)
  for (const { hash } of likely) {
    try {
      const sealed = await readWholeBlob(ports, { hash, bytesMax: MAX_THUMBNAIL_SEALED_BYTES, signal })
      const picture = await openThumbnail(ports.accountKey, asset, sealed)
      if (picture !== undefined) return picture
    } catch (error) {
      if (!isNone(error)) throw error
    }
  }
  return undefined
}

/**
 * A blob that does not open, no longer exists or is withheld counts as no thumbnail: the page shows an icon, and the asset itself reports the fault.
 */
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
