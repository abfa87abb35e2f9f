/**
 * Ed25519 and ML-DSA-65 with keys as raw bytes, in forms that every Node reads (PKCS 8, SPKI). ML-DSA is Node's own
 * from 24.6 on. An older Node takes noble's: the same keys and signatures, ten times slower.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

export type SignatureType = 'ed25519' | 'ml-dsa-65'

/** A private key. It can be sent to a thread. */
export type SigningKey = KeyObject | JavaScriptKey
interface JavaScriptKey {
  readonly secretKey: Uint8Array
  readonly publicKey: Uint8Array
}

/** A public key that is ready to verify. */
export type VerifyingKey = KeyObject | Uint8Array

/** The size of an Ed25519 private key (RFC 8032), and of the seed of an ML-DSA key (FIPS 204, algorithm 6). */
export const SEED_BYTES = 32

/** What is before the seed in PKCS 8 (RFC 8410, RFC 9881), and before the public key in SPKI. */
const FORMS = {
  ed25519: {
    pkcs8: Buffer.from('302e020100300506032b657004220420', 'hex'),
    spki: Buffer.from('302a300506032b6570032100', 'hex'),
    publicBytes: 32,
  },
  'ml-dsa-65': {
    pkcs8: Buffer.from('3034020100300b060960864801650304031204228020', 'hex'),
    spki: Buffer.from('308207b2300b0609608648016503040312038207a100', 'hex'),
    publicBytes: 1952,
  },
} as const

export interface Signatures {
  /** The key of a seed. */
  signingKey(type: SignatureType, seed: Uint8Array): SigningKey
  /** Raw bytes of the public half: 32 for Ed25519, 1952 for ML-DSA-65. */
  publicBytes(key: SigningKey): Uint8Array
  sign(key: SigningKey, message: Uint8Array): Uint8Array
  /** Throws if the bytes are no key of this type. */
  verifyingKey(type: SignatureType, publicKey: Uint8Array): VerifyingKey
  verify(key: VerifyingKey, message: Uint8Array, signature: Uint8Array): boolean
  /** The same in Node's thread pool, where Node has the algorithm. */
  verifyAside(key: VerifyingKey, message: Uint8Array, signature: Uint8Array): Promise<boolean>
}

type MlDsa = typeof import('@noble/post-quantum/ml-dsa.js').ml_dsa65

/** With an implementation of ML-DSA in JavaScript; without one, all is Node's. */
export function createSignatures(mlDsa?: MlDsa): Signatures {
  const inJavaScript = (): MlDsa => {
    if (mlDsa === undefined) throw new Error('the key is one for ML-DSA in JavaScript')
    return mlDsa
  }
  const signatures: Signatures = {
    signingKey(type, seed) {
      if (mlDsa !== undefined && type === 'ml-dsa-65') return mlDsa.keygen(new Uint8Array(seed))
      return privateKey(type, seed)
    },
    publicBytes(key) {
      if ('publicKey' in key) return key.publicKey
      const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
      const { publicBytes } =
        Object.values(FORMS).find((form) => form.spki.length + form.publicBytes === spki.length) ?? {}
      if (publicBytes === undefined) throw new Error('a key of another type')
      return new Uint8Array(spki.subarray(-publicBytes))
    },
    sign(key, message) {
      if ('secretKey' in key) return inJavaScript().sign(message, key.secretKey)
      return new Uint8Array(sign(null, message, key))
    },
    verifyingKey(type, publicKey) {
      const { spki, publicBytes } = FORMS[type]
      if (publicKey.length !== publicBytes) throw new Error('a public key of another size')
      if (mlDsa !== undefined && type === 'ml-dsa-65') return new Uint8Array(publicKey)
      return createPublicKey({ key: Buffer.concat([spki, publicKey]), format: 'der', type: 'spki' })
    },
    verify(key, message, signature) {
      if (key instanceof Uint8Array) return inJavaScript().verify(signature, message, key)
      return verify(null, message, key, signature)
    },
    verifyAside(key, message, signature) {
      if (key instanceof Uint8Array) return Promise.resolve(signatures.verify(key, message, signature))
      return new Promise((resolve) => {
        verify(null, message, key, signature, (error, isRight) => resolve(error === null && isRight))
      })
    },
  }
  return signatures
}

/** For libraries that take Node's keys. */
export function ed25519Key(seed: Uint8Array): KeyObject {
  return privateKey('ed25519', seed)
}

function privateKey(type: SignatureType, seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_BYTES) throw new Error('not a seed of 32 bytes')
  return createPrivateKey({ key: Buffer.concat([FORMS[type].pkcs8, seed]), format: 'der', type: 'pkcs8' })
}

/** Those of this Node. */
export const {
  signingKey,
  publicBytes,
  sign: signMessage,
  verifyingKey,
  verify: isValid,
  verifyAside,
} = createSignatures(hasMlDsa() ? undefined : (await import('@noble/post-quantum/ml-dsa.js')).ml_dsa65)

function hasMlDsa(): boolean {
  try {
    // Node 22 reads the key, as its OpenSSL knows it, and cannot sign with it.
    return privateKey('ml-dsa-65', new Uint8Array(SEED_BYTES)).asymmetricKeyType === 'ml-dsa-65'
  } catch {
    return false
  }
}
