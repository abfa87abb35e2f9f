import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { describe, it } from 'node:test'
import { fromBase64, fromHex, toHex } from '@blindkeep/protocol/bytes'
import { checkChain } from '@blindkeep/protocol/chain'
import { decodeReceipt, ReceiptError, readReceipt, verifyReceipt } from '@blindkeep/protocol/receipt'
import { shake128 } from '@noble/hashes/sha3.js'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import mlDsa from '../../../../vectors/ml-dsa-65.json' with { type: 'json' }
import receipts from '../../../../vectors/receipts.json' with { type: 'json' }
import { verifiers } from './signatures.ts'

const SPKI_ML_DSA_65 = '308207b2300b0609608648016503040312038207a100'

describe('ML-DSA-65', () => {
  it('matches the published accumulated result over a hundred keys and deterministic signatures', () => {
    const { iterations, result } = mlDsa.accumulated
    const seeds = createHash('shake128', { outputLength: iterations * 32 })
      .update('')
      .digest()
    const accumulator = shake128.create({ dkLen: 32 })
    for (let index = 0; index < iterations; index++) {
      const keys = ml_dsa65.keygen(Uint8Array.from(seeds.subarray(index * 32, (index + 1) * 32)))
      accumulator.update(keys.publicKey)
      accumulator.update(ml_dsa65.sign(new Uint8Array(0), keys.secretKey, { extraEntropy: false }))
    }
    assert.equal(toHex(accumulator.digest()), result)
  })

  it('derives the public key of its seed', () => {
    assert.equal(toHex(ml_dsa65.keygen(fromHex(mlDsa.seed)).publicKey), mlDsa.public_key)
    assert.ok(mlDsa.vectors.some(({ valid }) => valid) && mlDsa.vectors.some(({ valid }) => !valid))
  })

  for (const vector of mlDsa.vectors) {
    it(`${vector.valid ? 'accepts' : 'refuses'} ${vector.name}, like OpenSSL`, async () => {
      const [publicKey, message, signature] = [mlDsa.public_key, vector.message, vector.signature].map(fromHex)
      assert.ok(publicKey && message && signature)
      assert.equal(await verifiers.mlDsa65(publicKey, message, signature), vector.valid)
      const key = Buffer.concat([Buffer.from(SPKI_ML_DSA_65, 'hex'), publicKey])
      const other = createPublicKey({ key, format: 'der', type: 'spki' })
      assert.equal(verify(null, message, other, signature), vector.valid)
    })
  }
})

describe('Ed25519', () => {
  // RFC 8032, section 7.1, test 2.
  const publicKey = fromHex('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
  const message = fromHex('72')
  const signature = fromHex(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  )
  const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

  it('accepts the signature of RFC 8032 for its message and key only', async () => {
    assert.equal(await verifiers.ed25519(publicKey, message, signature), true)
    assert.equal(await verifiers.ed25519(publicKey, fromHex('73'), signature), false)
    assert.equal(await verifiers.ed25519(fromHex('00'.repeat(32)), message, signature), false)
    assert.equal(await verifiers.ed25519(publicKey.subarray(1), message, signature), false)
    assert.equal(await verifiers.ed25519(publicKey, message, signature.subarray(1)), false)
  })

  it('refuses the same scalar plus the order of the group (RFC 8032, section 5.1.7)', async () => {
    const scalar = BigInt(`0x${toHex(signature.slice(32).reverse())}`) + ORDER
    const shifted = fromHex(scalar.toString(16).padStart(64, '0')).reverse()
    assert.equal(
      await verifiers.ed25519(publicKey, message, Buffer.concat([signature.subarray(0, 32), shifted])),
      false,
    )
  })

  it('refuses a key of small order, under which anything verifies', async () => {
    const identity = fromHex(`01${'00'.repeat(31)}`)
    const everything = Buffer.concat([identity, new Uint8Array(32)])
    assert.equal(await verifiers.ed25519(identity, message, everything), false)
  })
})

describe('the receipts of the vectors, with the verifiers for browsers', () => {
  const keys = new Map(receipts.keys.map((key) => [key.key_id, fromBase64(key.public)]))

  function keyOf(receiptCbor: Uint8Array): Uint8Array {
    const key = keys.get(decodeReceipt(receiptCbor).keyId)
    if (key === undefined) throw new ReceiptError('key_unknown', 'no published key has this id')
    return key
  }

  it('exist', () => assert.ok(receipts.valid.length >= 3 && receipts.invalid.length > 0 && receipts.chains.length > 0))

  it('verify, and have the stated hash and reading', async () => {
    for (const vector of receipts.valid) {
      const receiptCbor = fromBase64(vector.receipt_cbor)
      const decoded = await verifyReceipt({ receiptCbor, publicKey: keyOf(receiptCbor), verify: verifiers })
      assert.deepEqual({ ...decoded.payload }, vector.payload)
      assert.equal(decoded.keyId, vector.server_key_id)
      assert.equal(createHash('sha256').update(receiptCbor).digest('hex'), vector.hash)
      assert.equal(readReceipt(receiptCbor).receipt_cbor, vector.receipt_cbor)
    }
  })

  for (const vector of receipts.invalid) {
    it(`are refused for ${vector.reason}: ${vector.name}`, async () => {
      const receiptCbor = fromBase64(vector.receipt_cbor)
      const verification = async () => verifyReceipt({ receiptCbor, publicKey: keyOf(receiptCbor), verify: verifiers })
      await assert.rejects(verification, { name: 'ReceiptError', reason: vector.reason })
    })
  }

  for (const vector of receipts.chains) {
    it(`${vector.break === null ? 'chain' : `do not chain for ${vector.break.fault}`}: ${vector.name}`, () => {
      const decoded = vector.receipts.map((receipt) => decodeReceipt(fromBase64(receipt)))
      assert.deepEqual(checkChain(decoded, { whole: vector.whole }) ?? null, vector.break)
    })
  }
})
