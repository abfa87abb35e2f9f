/**
 * The signed manifest, which is the provenance blob: a COSE_Sign message over deterministic CBOR (RFC 9052, RFC 8949
 * section 4.2.1), signed by both halves of the creating device's hybrid key. The payload has the names and JSON values
 * of the specification's ManifestEnvelope (hashes stay hex text, integers are integers, absent members are left out),
 * and `wrapped_key` as bytes. The server keeps an envelope beside it; a client trusts only these bytes.
 */
import type { Bytes } from './bytes.ts'
import {
  assembleCose,
  type CoseMessage,
  type CoseToBeSigned,
  coseToBeSigned,
  type HybridSignatures,
  type HybridVerifiers,
} from './cose.ts'
import { type KeyId, parseKeyId, type Sha256Hex } from './ids.ts'
import { sha256Hex } from './sha256Hex.ts'
import {
  decodePayload,
  encodePayload,
  ManifestError,
  type ReadManifest,
  type SignedManifest,
} from './signed/manifestPayload.ts'
import { decodeSigned, verifySigned } from './signed/message.ts'
import { ED25519_SIGNATURE_BYTES, ML_DSA_65_SIGNATURE_BYTES } from './suites.ts'
import { SERVICE } from './wire.ts'

export type { HybridSignatures, HybridVerifiers } from './cose.ts'
export {
  disagreement,
  MAX_WRAPPED_KEY_BYTES,
  ManifestError,
  type ManifestFault,
  type SignedManifest,
} from './signed/manifestPayload.ts'

/** Part of the signed bytes, so that a device's signature of a manifest is valid for nothing else. */
export const MANIFEST_CONTENT_TYPE = `application/${SERVICE}-manifest+cbor`

/** About 4 KiB is usual, 5 KiB with a wrapped key. Longer blobs are refused before they are decoded. */
export const MAX_PROVENANCE_BYTES = 65_536

/** A manifest, the key that signed it, and its hash. */
export interface DecodedManifest extends ReadManifest {
  /** SHA-256 of the signing device's public key. Callers check that it belongs to `created_by_device`. */
  readonly keyId: KeyId
  /** SHA-256 of the blob: its receipt's `envelope_hash`, and its successor's `prior_provenance_hash`. */
  readonly hash: Sha256Hex
}

/** Signatures of the right length, to measure a message before a key signs it. */
const PLACEHOLDERS: HybridSignatures = {
  ed25519: new Uint8Array(ED25519_SIGNATURE_BYTES),
  mlDsa65: new Uint8Array(ML_DSA_65_SIGNATURE_BYTES),
}

/**
 * `ed25519` and `mlDsa65` of the result are the byte strings that the device's two keys sign. Pass the result to
 * `assembleManifest` with the signatures. Throws `ManifestError` for a manifest that a reader would refuse, also for
 * one of more than 64 KiB.
 */
export function manifestToBeSigned(manifest: SignedManifest, keyId: KeyId): CoseToBeSigned {
  const toBeSigned = coseToBeSigned({ contentType: MANIFEST_CONTENT_TYPE, payload: encodePayload(manifest), keyId })
  assembleManifest(toBeSigned, PLACEHOLDERS)
  return toBeSigned
}

/**
 * The bytes of a provenance blob. Throws `RangeError` for signatures that are not 64 and 3309 bytes, and
 * `ManifestError` for everything else that a reader would refuse. Does not verify the signatures.
 */
export function assembleManifest(toBeSigned: CoseToBeSigned, signatures: HybridSignatures): Bytes {
  const provenance = assembleCose(toBeSigned, signatures)
  decodeManifest(provenance)
  return provenance
}

/** SHA-256 of a whole provenance blob, lowercase hex. */
export function manifestHash(provenance: Uint8Array): Sha256Hex {
  return sha256Hex(provenance)
}

/** Reads a manifest without verifying its signatures. Throws `ManifestError` for anything but the one accepted form. */
export function decodeManifest(provenance: Uint8Array): DecodedManifest {
  return decodedFrom(decodeSigned(provenance, KIND), provenance)
}

function decodedFrom(message: CoseMessage, provenance: Uint8Array): DecodedManifest {
  const keyId = parseKeyId(message.keyId)
  if (keyId === undefined) throw new ManifestError('key_id', 'the key id is not 32 bytes')
  return { ...decodePayload(message.payload), keyId, hash: manifestHash(provenance) }
}

const KIND = {
  contentType: MANIFEST_CONTENT_TYPE,
  maxBytes: MAX_PROVENANCE_BYTES,
  what: 'a manifest',
  Refusal: ManifestError,
}

interface ManifestVerification {
  /** The whole provenance blob. */
  readonly provenance: Uint8Array
  /** The 1984 bytes of the key of the device that `created_by_device` names. */
  readonly publicKey: Uint8Array
  readonly verify: HybridVerifiers
}

/**
 * Reads a manifest and verifies both signatures. Throws `ManifestError` unless both are valid and the key is the one
 * that the manifest names. The caller checks that the key belongs to `created_by_device` and that the manifest is of
 * the right asset.
 */
export async function verifyManifest({
  provenance,
  publicKey,
  verify,
}: ManifestVerification): Promise<DecodedManifest> {
  const message = decodeSigned(provenance, KIND)
  const decoded = decodedFrom(message, provenance)
  await verifySigned(message, { publicKey, verify, Refusal: ManifestError })
  return decoded
}
