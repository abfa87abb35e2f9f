import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { HYBRID_ALGORITHM, joinHybridPublicKey, keyId, splitHybridPublicKey } from './keys.ts'

const key = { ed25519: new Uint8Array(32).fill(1), mlDsa65: new Uint8Array(1952).fill(2) }

describe('a hybrid public key', () => {
  it('is Ed25519 followed by ML-DSA-65, and splits into both again', () => {
    const published = joinHybridPublicKey(key)
    assert.equal(published.length, 1984)
    assert.equal(published[31], 1)
    assert.equal(published[32], 2)
    assert.deepEqual(splitHybridPublicKey(published), key)
  })

  it('is named by the SHA-256 of its published bytes', () => {
    const published = joinHybridPublicKey(key)
    assert.equal(keyId(published), createHash('sha256').update(published).digest('hex'))
    assert.equal(HYBRID_ALGORITHM, 'hybrid-ed25519-mldsa65')
  })

  it('has one length only', () => {
    assert.throws(() => joinHybridPublicKey({ ...key, ed25519: new Uint8Array(31) }), RangeError)
    assert.throws(() => joinHybridPublicKey({ ...key, mlDsa65: new Uint8Array(1953) }), RangeError)
    for (const length of [0, 1983, 1985]) {
      assert.throws(() => splitHybridPublicKey(new Uint8Array(length)), RangeError)
      assert.throws(() => keyId(new Uint8Array(length)), RangeError)
    }
  })
})
