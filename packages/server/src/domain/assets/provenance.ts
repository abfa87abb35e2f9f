/**
 * Checks a provenance blob before it lands: the signatures of the device that its envelope names, and that the signed
 * manifest agrees with every field of the envelope. The manifest's `ciphertext_hash` is that of the original, not of
 * the provenance blob.
 */
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { disagreement, type HybridVerifiers, ManifestError, verifyManifest } from '@blindkeep/protocol/manifest'
import { isValid, type SignatureType, verifyingKey } from '../../ground/signatures.ts'
import type { Objects } from '../../ports/objects.ts'
import type { AssetUpload, Store } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import { DEVICE_GONE } from './manifest.ts'

interface ProvenancePorts {
  readonly store: Store
  readonly objects: Objects
}

export type CheckProvenance = ReturnType<typeof createCheckProvenance>

export function createCheckProvenance({ store, objects }: ProvenancePorts) {
  /** Returns the hash of the signed manifest, which the receipt carries. */
  return async function checkProvenance(
    upload: AssetUpload,
  ): Promise<{ readonly envelopeHash: Sha256Hex } | Refuses<'manifest_mismatch'>> {
    const { envelope, accountId, assetId } = upload
    const [device, blobsOfAsset] = await store.read(async (tx) => [
      await tx.devices.find(envelope.created_by_device),
      await tx.assets.blobsOf(assetId),
    ])
    if (device?.accountId !== accountId || device.revokedAt !== undefined)
      return { refused: 'manifest_mismatch', detail: DEVICE_GONE }
    const provenance = await readAll(objects, upload)
    try {
      const manifest = await verifyManifest({ provenance, publicKey: device.publicKey, verify: verifiers })
      const original =
        envelope.original_blob_hash ?? blobsOfAsset.find(({ role }) => role === 'original')?.ciphertextHash
      const field =
        disagreement(envelope, manifest.envelope) ??
        (manifest.envelope.ciphertext_hash === original ? undefined : 'ciphertext_hash')
      if (field === undefined) return { envelopeHash: upload.ciphertextHash }
      return { refused: 'manifest_mismatch', detail: `${field} of the signed manifest differs from the envelope` }
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error
      return { refused: 'manifest_mismatch', detail: error.message }
    }
  }
}

/** At most 64 KiB: a larger provenance blob is refused when it is declared. */
async function readAll(objects: Objects, { location, size }: AssetUpload): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of objects.read(location, { start: 0, end: size })) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces))
}

const verifiers: HybridVerifiers = {
  ed25519: (publicKey, message, signature) => isSignedBy('ed25519', { publicKey, message, signature }),
  mlDsa65: (publicKey, message, signature) => isSignedBy('ml-dsa-65', { publicKey, message, signature }),
}

interface Signed {
  readonly publicKey: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

/** False also when the public key is malformed: a device's key is stored unchecked. */
function isSignedBy(type: SignatureType, { publicKey, message, signature }: Signed): boolean {
  try {
    return isValid(verifyingKey(type, publicKey), message, signature)
  } catch {
    return false
  }
}
