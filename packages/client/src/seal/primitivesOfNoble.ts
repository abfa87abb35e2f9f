import { ed25519 } from '@noble/curves/ed25519.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'
import { ml_kem768_x25519 as xWing } from '@noble/post-quantum/hybrid.js'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import type { Primitives } from './primitives.ts'

/** For any browser, in JavaScript. */
export const primitives: Primitives = {
  ed25519: {
    publicKeyOf: (seed) => ed25519.getPublicKey(seed),
    sign: (message, seed) => ed25519.sign(message, seed),
    verify: (signature, message, publicKey) => ed25519.verify(signature, message, publicKey, { zip215: false }),
  },
  mlDsa65: {
    publicKeyOf: (seed) => ml_dsa65.keygen(seed).publicKey,
    sign: (message, seed) => ml_dsa65.sign(message, ml_dsa65.keygen(seed).secretKey),
    verify: (signature, message, publicKey) => ml_dsa65.verify(signature, message, publicKey),
  },
  hkdfSha512: (ikm, salt, info, bytes) => hkdf(sha512, ikm, salt, info, bytes),
  hmacSha256: (key, message) => hmac(sha256, key, message),
  xWing: {
    publicKeyOf: (seed) => xWing.keygen(seed).publicKey,
    encapsulate: (publicKey) => xWing.encapsulate(publicKey),
    decapsulate: (cipherText, seed) => xWing.decapsulate(cipherText, seed),
  },
}
