/** Writes an asset anew, as a client that can replace would: another original under the same id, with metadata and a manifest of its own. */
import { uuidBytes } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { signManifest } from '../packages/client/src/account/device.ts'
import { type AssetFacts, blobOf } from '../packages/client/src/assets/assetFacts.ts'
import { AMK_VERSION, derivedKey } from '../packages/client/src/assets/assetKeys.ts'
import { type SmallBlob, smallBlob } from '../packages/client/src/assets/bundle.ts'
import { sealMetadata } from '../packages/client/src/assets/metadata.ts'
import { systemEnvironment } from '../packages/client/src/environment.ts'
import { type Call, createCalls } from '../packages/client/src/http/call.ts'
import { createSession } from '../packages/client/src/http/session.ts'
import type { Owner } from '../packages/client/src/owner.ts'
import { createChunkReader } from '../packages/client/src/seal/chunkReader.ts'
import { headerOf } from '../packages/client/src/seal/fileHeader.ts'
import { createSealer } from '../packages/client/src/seal/seal.ts'
import { hashSealed } from '../packages/client/src/seal/sealStream.ts'
import { sourceOfBytes } from '../packages/client/src/seal/source.ts'
import { roleBlobOf, type SentUploads, sendBundle } from '../packages/client/src/send/sendBundle.ts'
import type { Keeper } from './people.ts'

interface Replacement {
  readonly original: SmallBlob
  readonly metadata: SmallBlob
  /** Of the plaintext. */
  readonly bytes: number
}

/** Calls of the account, for what no method of an owner does. */
export function callsOf(baseUrl: string, owner: Owner): Call {
  const tokens = createSession({ calls: createCalls({ baseUrl }), tokens: owner.tokens() })
  return createCalls({ baseUrl, tokens }).call
}

/** Seals `content` for the asset; small, as it lies in memory. */
export async function sealReplacement(
  { owner }: Keeper,
  { assetId, albumId }: AssetFacts,
  content: Uint8Array<ArrayBuffer>,
): Promise<Replacement> {
  const key = derivedKey({ accountKey: owner.accountKey, albumId, assetId, amkVersion: AMK_VERSION })
  const header = headerOf(content.length, { name: 'anew.bin' })
  const sealer = await createSealer({ key, purpose: 'original', contextId: uuidBytes(assetId), header })
  const source = sourceOfBytes(content)
  const { tags, size } = await hashSealed({ sealer, source })
  const sealed = await createChunkReader({ sealer, source, tags })(0, size)
  const metadata = await sealMetadata({ key, assetId }, { name: 'anew.bin' })
  return {
    original: smallBlob(systemEnvironment, sealed),
    metadata: smallBlob(systemEnvironment, metadata),
    bytes: content.length,
  }
}

/** Signed so that it continues what the asset has now. */
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

/** Sends all of it, and gives the sessions that have brought it. */
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
