/**
 * The primitives by `node:crypto`, with keys in forms that it reads (PKCS 8, SPKI). Node has ML-DSA since 24.6 and
 * ML-KEM since 24.7; before, all are noble's.
 */
import * as crypto from 'node:crypto'
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { Primitives } from '../seal/primitives.ts'

/** What is before the private key in PKCS 8, and before the public key in SPKI (RFC 8410, RFC 9881, RFC 9935). */
const FORMS = {
  ed25519: { pkcs8: '302e020100300506032b657004220420', spki: '302a300506032b6570032100', publicBytes: 32 },
  x25519: { pkcs8: '302e020100300506032b656e04220420', spki: '302a300506032b656e032100', publicBytes: 32 },
  mlDsa65: {
    pkcs8: '3034020100300b060960864801650304031204228020',
    spki: '308207b2300b0609608648016503040312038207a100',
    publicBytes: 1952,
  },
  mlKem768: {
    pkcs8: '3054020100300b060960864801650304040204428040',
    spki: '308204b2300b0609608648016503040402038204a100',
    publicBytes: 1184,
  },
} as const
type KeyType = keyof typeof FORMS

const SEED_BYTES = 32
const ML_KEM_SEED_BYTES = 64
const ML_KEM_CIPHERTEXT_BYTES = 1088
const X_WING_LABEL = '\\.//^\\'
/** The y of the points whose order divides 8, but for the sign of x, little-endian. */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]
/** 2^255 − 19: a smaller y has one encoding. */
const FIELD_PRIME = 2n ** 255n - 19n

export const ofNode: Primitives = {
  ed25519: {
    ...signaturesOf('ed25519'),
    async verify(signature, message, publicKey) {
      // Not every OpenSSL refuses the keys that we refuse. A signature that it refuses is judged as in a browser: what
      // a malicious signer makes with a point of small order passes there, and RFC 8032 allows both.
      if (isStrictKey(publicKey) && signaturesOf('ed25519').verify(signature, message, publicKey)) return true
      return await (await ofNoble()).ed25519.verify(signature, message, publicKey)
    },
  },
  mlDsa65: signaturesOf('mlDsa65'),
  hkdfSha512: (ikm, salt = new Uint8Array(0), info, bytes) =>
    new Uint8Array(crypto.hkdfSync('sha512', ikm, salt, info, bytes)),
  hmacSha256: (key, message) => new Uint8Array(crypto.createHmac('sha256', key).update(message).digest()),
  xWing: {
    publicKeyOf(seed) {
      const { mlKem, x25519 } = expanded(seed)
      return joined(publicBytes('mlKem768', mlKem), publicBytes('x25519', x25519))
    },
    encapsulate(publicKey) {
      const { publicBytes: border } = FORMS.mlKem768
      const { sharedKey, ciphertext } = crypto.encapsulate(publicKeyOf('mlKem768', publicKey.subarray(0, border)))
      const { privateKey } = crypto.generateKeyPairSync('x25519')
      const theirs = publicKey.subarray(border)
      const share = publicBytes('x25519', privateKey)
      const agreed = crypto.diffieHellman({ privateKey, publicKey: publicKeyOf('x25519', theirs) })
      return { cipherText: joined(ciphertext, share), sharedSecret: combined(sharedKey, agreed, share, theirs) }
    },
    decapsulate(cipherText, seed) {
      const { mlKem, x25519 } = expanded(seed)
      const [sealed, share] = [
        cipherText.subarray(0, ML_KEM_CIPHERTEXT_BYTES),
        cipherText.subarray(ML_KEM_CIPHERTEXT_BYTES),
      ]
      const agreed = crypto.diffieHellman({ privateKey: x25519, publicKey: publicKeyOf('x25519', share) })
      return combined(crypto.decapsulate(mlKem, sealed), agreed, share, publicBytes('x25519', x25519))
    },
  },
}

/** Those of this Node. */
export const primitives: Primitives = hasAll() ? ofNode : await ofNoble()

async function ofNoble(): Promise<Primitives> {
  return (await import('../seal/primitivesOfNoble.ts')).primitives
}

function hasAll(): boolean {
  try {
    // Node 22 reads the key, as its OpenSSL knows it, and cannot sign with it.
    const { asymmetricKeyType } = privateKeyOf('mlDsa65', new Uint8Array(SEED_BYTES))
    return asymmetricKeyType === 'ml-dsa-65' && typeof crypto.encapsulate === 'function'
  } catch {
    return false
  }
}

function signaturesOf(type: 'ed25519' | 'mlDsa65') {
  const keyOf = (seed: Uint8Array) => {
    if (seed.length !== SEED_BYTES) throw new RangeError('the seed of a signing key is 32 bytes')
    return privateKeyOf(type, seed)
  }
  return {
    publicKeyOf: (seed: Uint8Array) => publicBytes(type, keyOf(seed)),
    sign: (message: Uint8Array, seed: Uint8Array) => new Uint8Array(crypto.sign(null, message, keyOf(seed))),
    verify: (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) =>
      crypto.verify(null, message, publicKeyOf(type, publicKey), signature),
  }
}

/** Whether the key is the only encoding of a point, and this point is not of small order. */
export function isStrictKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== FORMS.ed25519.publicBytes) return false
  const y = publicKey.map((byte, index) => (index === 31 ? byte & 0x7f : byte))
  return (
    BigInt(`0x${Buffer.from(y.toReversed()).toString('hex')}`) < FIELD_PRIME &&
    !SMALL_ORDER.includes(Buffer.from(y).toString('hex'))
  )
}

/** The two private keys of an X-Wing seed (section 5.2). */
function expanded(seed: Uint8Array): { readonly mlKem: crypto.KeyObject; readonly x25519: crypto.KeyObject } {
  const bytes = crypto
    .createHash('shake256', { outputLength: ML_KEM_SEED_BYTES + 32 })
    .update(seed)
    .digest()
  return {
    mlKem: privateKeyOf('mlKem768', bytes.subarray(0, ML_KEM_SEED_BYTES)),
    x25519: privateKeyOf('x25519', bytes.subarray(ML_KEM_SEED_BYTES)),
  }
}

/** The secret of both secrets, the X25519 share and the X25519 public key (section 5.3). */
function combined(mlKem: Uint8Array, agreed: Uint8Array, share: Uint8Array, publicKey: Uint8Array): Bytes {
  const hash = crypto.createHash('sha3-256')
  for (const part of [mlKem, agreed, share, publicKey]) hash.update(part)
  return new Uint8Array(hash.update(X_WING_LABEL).digest())
}

function privateKeyOf(type: KeyType, bytes: Uint8Array): crypto.KeyObject {
  return crypto.createPrivateKey({ key: prefixed(FORMS[type].pkcs8, bytes), format: 'der', type: 'pkcs8' })
}

function publicKeyOf(type: KeyType, bytes: Uint8Array): crypto.KeyObject {
  if (bytes.length !== FORMS[type].publicBytes) throw new RangeError('a public key of another length')
  return crypto.createPublicKey({ key: prefixed(FORMS[type].spki, bytes), format: 'der', type: 'spki' })
}

function publicBytes(type: KeyType, privateKey: crypto.KeyObject): Bytes {
  const spki = crypto.createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return new Uint8Array(spki.subarray(-FORMS[type].publicBytes))
}

function prefixed(prefix: string, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(prefix, 'hex'), bytes])
}

function joined(one: Uint8Array, other: Uint8Array): Bytes {
  return new Uint8Array(Buffer.concat([one, other]))
}
