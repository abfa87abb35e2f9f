import { sha256 } from '@noble/hashes/sha2.js'
import { type Bytes, concatBytes, toHex } from './bytes.ts'
import { type KeyId, parseKeyId } from './ids.ts'
import { ED25519_PUBLIC_KEY_BYTES, HYBRID_PUBLIC_KEY_BYTES, ML_DSA_65_PUBLIC_KEY_BYTES } from './suites.ts'

/** `algorithm` of a published key (specification, PublishedKeyResponse). */
export const HYBRID_ALGORITHM = 'hybrid-ed25519-mldsa65'

/** The halves of a hybrid public key: 32 bytes (RFC 8032), 1952 bytes (FIPS 204). Both must verify. */
interface HybridPublicKey {
  readonly ed25519: Uint8Array
  readonly mlDsa65: Uint8Array
}

/** Ed25519 ‖ ML-DSA-65, 1984 bytes, as published. Throws `RangeError` for halves of another length. */
export function joinHybridPublicKey(key: HybridPublicKey): Bytes {
  const fits = key.ed25519.length === ED25519_PUBLIC_KEY_BYTES && key.mlDsa65.length === ML_DSA_65_PUBLIC_KEY_BYTES
  if (!fits) throw new RangeError('a hybrid public key is 32 and 1952 bytes')
  return concatBytes(key.ed25519, key.mlDsa65)
}

/** Views on the two halves of the published 1984 bytes. Throws `RangeError` for another length. */
export function splitHybridPublicKey(published: Uint8Array): HybridPublicKey {
  if (published.length !== HYBRID_PUBLIC_KEY_BYTES) throw new RangeError('a hybrid public key is 1984 bytes')
  return {
    ed25519: published.subarray(0, ED25519_PUBLIC_KEY_BYTES),
    mlDsa65: published.subarray(ED25519_PUBLIC_KEY_BYTES),
  }
}

/** SHA-256 of the published 1984 bytes: the `server_key_id` of receipts. Throws `RangeError` for another length. */
export function keyId(published: Uint8Array): KeyId {
  if (published.length !== HYBRID_PUBLIC_KEY_BYTES) throw new RangeError('a hybrid public key is 1984 bytes')
  const id = parseKeyId(toHex(sha256(published)))
  if (id === undefined) throw new Error('SHA-256 gave something other than 64 hex characters')
  return id
}
