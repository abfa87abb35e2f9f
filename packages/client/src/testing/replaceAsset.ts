/** Replaces an asset's original: another one under the same id, with its own metadata and manifest. */
import { uuidBytes } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { Keeper } from '../../../../testing/people.ts'
import { signManifest } from '../account/device.ts'
import { type AssetFacts, blobOf } from '../assets/assetFacts.ts'
import { AMK_VERSION, derivedKey } from '../assets/assetKeys.ts'
import type { SentUploads } from '../assets/bundleRoles.ts'
import { sealMetadata } from '../assets/metadata.ts'
import { systemEnvironment } from '../ground/environment.ts'
import { type Call, createCalls } from '../http/call.ts'
import { createSession } from '../http/session.ts'
import type { Owner } from '../owner.ts'
import { createChunkReader } from '../seal/chunkReader.ts'
import { headerOf } from '../seal/fileHeader.ts'
import { createSealer } from '../seal/seal.ts'
import { hashSealed } from '../seal/sealStream.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { roleBlobOf, sendBundle } from '../upload/sendBundle.ts'
import { type SmallBlob, smallBlob } from '../upload/smallBlob.ts'

interface Replacement {
  readonly original: SmallBlob
  readonly metadata: SmallBlob
  /** Plaintext bytes. */
  readonly bytes: number
}

/** Typed calls of the account, for operations without a method. */
export function callsOf(baseUrl: string, owner: Owner): Call {
  const tokens = createSession({ calls: createCalls({ baseUrl }), tokens: owner.tokens() })
  return createCalls({ baseUrl, tokens }).call
}

/** Seals `content` for the asset, in memory. */
export async function sealReplacement(
  { owner }: Keeper,
  { assetId, albumId }: AssetFacts,
  content: Uint8Array<ArrayBuffer>,
): Promise<Replacement> {
  const key = derivedKey({ accountKey: owner.accountKey, albumId, assetId, amkVersion: AMK_VERSION })
  const header = headerOf(content.length, { name: 'replacement.bin' })
  const sealer = await createSealer({ key, purpose: 'original', contextId: uuidBytes(assetId), header })
  const source = sourceOfBytes(content)
  const { tags, size } = await hashSealed({ sealer, source })
  const sealed = await createChunkReader({ sealer, source, tags })(0, size)
  const metadata = await sealMetadata({ key, assetId }, { name: 'replacement.bin' })
  return {
    original: smallBlob(systemEnvironment, sealed),
    metadata: smallBlob(systemEnvironment, metadata),
    bytes: content.length,
  }
}

/** An envelope that continues the asset's present manifest. */
export function replacingEnvelope(asset: AssetFacts, { original, metadata, bytes }: Replacement): ManifestEnvelope {
  const signed = blobOf(asset, 'provenance')
  return {
    ...asset.envelope,
    action: 'replace',
    key_mode: 'derived',
    ciphertext_hash: original.hash,
    original_blob_hash: original.hash,
    metadata_blob_hash: metadata.hash,
    plaintext_size: bytes,
    timestamp: formatInstant(systemEnvironment.now()),
    ...(signed === undefined ? {} : { prior_provenance_hash: signed.hash }),
  }
}

/** Sends the replacement, and returns its sessions. */
export async function replaceAsset(
  baseUrl: string,
  { owner, device }: Keeper,
  { asset, replacement }: { readonly asset: AssetFacts; readonly replacement: Replacement },
): Promise<SentUploads> {
  const envelope = replacingEnvelope(asset, replacement)
  const provenance = smallBlob(systemEnvironment, signManifest(device, { envelope }))
  const blobs = [
    roleBlobOf('original', replacement.original),
    roleBlobOf('metadata', replacement.metadata),
    roleBlobOf('provenance', provenance),
  ]
  return sendBundle({ call: callsOf(baseUrl, owner), envelope, blobs, environment: systemEnvironment })
}
