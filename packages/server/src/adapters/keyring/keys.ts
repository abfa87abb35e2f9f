import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** The size of an Ed25519 private key (RFC 8032), and of the seed of an ML-DSA key (FIPS 204, algorithm 6). */
export const SEED_BYTES = 32

export function ed25519Key(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(seed), format: 'raw-private', asymmetricKeyType: 'ed25519' })
}

export function mlDsa65Key(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(seed), format: 'raw-seed', asymmetricKeyType: 'ml-dsa-65' })
}

/** Raw bytes of the public half: 32 for Ed25519, 1952 for ML-DSA-65. */
export function publicBytes(privateKey: KeyObject): Uint8Array {
  return new Uint8Array(createPublicKey(privateKey).export({ format: 'raw-public' }))
}
