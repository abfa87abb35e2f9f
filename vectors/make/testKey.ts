/** A key pair from fixed seeds, with deterministic signatures (RFC 8032; FIPS 204, algorithm 2, rnd = 0). */

import { type Bytes, toBase64, toHex } from '@blindkeep/protocol/bytes'
import type { HybridSignatures } from '@blindkeep/protocol/cose'
import { joinHybridPublicKey, keyId } from '@blindkeep/protocol/keys'
import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import { rising } from './inputs.ts'

export interface TestKey {
  readonly publicKey: Bytes
  readonly keyId: ReturnType<typeof keyId>
  sign(messages: { readonly ed25519: Uint8Array; readonly mlDsa65: Uint8Array }): HybridSignatures
  /** As in the vector files. */
  readonly described: Readonly<Record<'ed25519_seed' | 'ml_dsa_65_seed' | 'public' | 'key_id', string>>
}

export function createTestKey(first: number): TestKey {
  const [edSeed, mlSeed] = [rising(first, 32), rising(first + 0x20, 32)]
  const mlKeys = ml_dsa65.keygen(mlSeed)
  const publicKey = joinHybridPublicKey({ ed25519: ed25519.getPublicKey(edSeed), mlDsa65: mlKeys.publicKey })
  return {
    publicKey,
    keyId: keyId(publicKey),
    sign: (messages) => ({
      ed25519: ed25519.sign(messages.ed25519, edSeed),
      mlDsa65: ml_dsa65.sign(messages.mlDsa65, mlKeys.secretKey, { extraEntropy: false }),
    }),
    described: {
      ed25519_seed: toHex(edSeed),
      ml_dsa_65_seed: toHex(mlSeed),
      public: toBase64(publicKey),
      key_id: keyId(publicKey),
    },
  }
}
