import assert from 'node:assert/strict'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  decapsulate as kemDecapsulate,
} from 'node:crypto'
import { describe, it } from 'node:test'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { ml_kem768_x25519 as xWing } from '@noble/post-quantum/hybrid.js'
import published from '../../../../vectors/xwing.json' with { type: 'json' }
import { decapsulate, encapsulate, KemError, keyPairFromSeed } from './kem.ts'

const der = (prefix: string, key: Uint8Array) => Buffer.concat([Buffer.from(prefix, 'hex'), key])
const privateKey = (prefix: string, key: Uint8Array) =>
  createPrivateKey({ key: der(prefix, key), format: 'der', type: 'pkcs8' })

/** X-Wing built from OpenSSL's ML-KEM-768 and X25519 as in sections 5.2, 5.3 and 5.5 of the draft. */
function decapsulateByOpenSsl(seed: Uint8Array, kemCt: Uint8Array): Buffer {
  const expanded = createHash('shake256', { outputLength: 96 }).update(seed).digest()
  const mlKem = privateKey('3054020100300b060960864801650304040204428040', expanded.subarray(0, 64))
  const x25519 = privateKey('302e020100300506032b656e04220420', expanded.subarray(64))
  const ownShare = createPublicKey(x25519).export({ format: 'der', type: 'spki' }).subarray(-32)
  const theirShare = kemCt.subarray(1088)
  const publicKey = createPublicKey({ key: der('302a300506032b656e032100', theirShare), format: 'der', type: 'spki' })
  const combiner = createHash('sha3-256')
    .update(kemDecapsulate(mlKem, kemCt.subarray(0, 1088)))
    .update(diffieHellman({ privateKey: x25519, publicKey }))
  return combiner.update(theirShare).update(ownShare).update('\\.//^\\').digest()
}

const seed = new Uint8Array(32).fill(7)

describe('X-Wing', () => {
  it('has published vectors', () => assert.ok(published.vectors.length >= 2))

  for (const vector of published.vectors) {
    it(`matches the published keys and secrets: ${vector.name}`, () => {
      const pair = keyPairFromSeed(fromHex(vector.seed))
      assert.equal(toHex(pair.publicKey), vector.public_key)
      assert.equal(toHex(decapsulate(pair.seed, fromHex(vector.kem_ct))), vector.shared_secret)
      const made = xWing.encapsulate(pair.publicKey, fromHex(vector.encapsulation_randomness))
      assert.equal(toHex(made.cipherText), vector.kem_ct)
      assert.equal(toHex(made.sharedSecret), vector.shared_secret)
    })

    it(`agrees with an implementation on OpenSSL: ${vector.name}`, () => {
      const secret = decapsulateByOpenSsl(fromHex(vector.seed), fromHex(vector.kem_ct))
      assert.equal(secret.toString('hex'), vector.shared_secret)
    })
  }

  it('encapsulates a new secret each time, which both ends and OpenSSL derive', () => {
    const { publicKey } = keyPairFromSeed(seed)
    const [first, second] = [encapsulate(publicKey), encapsulate(publicKey)]
    assert.equal(first.kemCt.length, 1120)
    assert.equal(first.sharedSecret.length, 32)
    assert.notDeepEqual(first.sharedSecret, second.sharedSecret)
    assert.deepEqual(decapsulate(seed, first.kemCt), first.sharedSecret)
    assert.equal(decapsulateByOpenSsl(seed, first.kemCt).toString('hex'), toHex(first.sharedSecret))
  })

  it('gives another secret, and no error, for another key or an altered ciphertext', () => {
    const { kemCt, sharedSecret } = encapsulate(keyPairFromSeed(seed).publicKey)
    assert.notDeepEqual(decapsulate(new Uint8Array(32).fill(8), kemCt), sharedSecret)
    const altered = kemCt.map((byte, index) => (index === 5 ? byte ^ 1 : byte))
    assert.notDeepEqual(decapsulate(seed, altered), sharedSecret)
  })

  it('refuses invalid keys and ciphertexts', () => {
    const { publicKey } = keyPairFromSeed(seed)
    const { kemCt } = encapsulate(publicKey)
    // 0xfff is no coefficient of ML-KEM, whose modulus is 3329 (FIPS 203, section 7.2).
    const notReduced = publicKey.map((byte, index) => (index < 3 ? 0xff : byte))
    for (const wrong of [publicKey.subarray(1), new Uint8Array(0), notReduced])
      assert.throws(() => encapsulate(wrong), { name: 'KemError', reason: 'public_key_invalid' })
    // An X25519 share of order 1 leaves the same secret to everyone (RFC 7748, section 6.1).
    const smallOrder = kemCt.map((byte, index) => (index < 1088 ? byte : 0))
    for (const wrong of [kemCt.subarray(1), new Uint8Array(0), smallOrder])
      assert.throws(() => decapsulate(seed, wrong), KemError)
    assert.throws(() => keyPairFromSeed(new Uint8Array(31)), RangeError)
  })
})
