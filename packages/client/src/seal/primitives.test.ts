import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { fromHex, toHex, utf8 } from '@blindkeep/protocol/bytes'
import { ed25519 } from '@noble/curves/ed25519.js'
import mlDsa from '../../../../vectors/ml-dsa-65.json' with { type: 'json' }
import xWingVectors from '../../../../vectors/xwing.json' with { type: 'json' }
import { primitives as chosen, isStrictKey, ofNode } from '../node/primitivesOfNode.ts'
import { primitives as ofNoble } from './primitivesOfNoble.ts'

const message = utf8('what was signed')
const seed = new Uint8Array(32).fill(7)
const { Point } = ed25519
const TORSION = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')
/** The eight points of small order, in turn. */
const small = Array.from({ length: 8 }, (_, index) =>
  index === 0 ? Point.ZERO : TORSION.multiplyUnsafe(BigInt(index)),
)

const smallKeys = small.flatMap((point) => encodingsOf(point.toBytes()))

const verdictOf = async (verify: () => boolean | Promise<boolean>) => {
  try {
    return await verify()
  } catch {
    return false
  }
}

it('are those of Node where it has all of them', () => assert.equal(chosen, ofNode))

it('give OpenSSL no Ed25519 key of small order, of which not every release refuses all', () => {
  assert.equal(smallKeys.length, 16 + 6)
  for (const key of smallKeys) assert.equal(isStrictKey(key), false, toHex(key))
  for (let byte = 0; byte < 50; byte++)
    assert.equal(isStrictKey(ofNode.ed25519.publicKeyOf(new Uint8Array(32).fill(byte))), true)
})

for (const [name, primitives, other] of [
  ['Node', ofNode, ofNoble],
  ['noble', ofNoble, ofNode],
] as const)
  describe(`the primitives of ${name}`, () => {
    const ed25519Says = (signature: Uint8Array, text: Uint8Array, key: Uint8Array) =>
      verdictOf(() => primitives.ed25519.verify(signature, text, key))

    it('match the published vectors of X-Wing, and open what the others seal', () => {
      for (const vector of xWingVectors.vectors) {
        assert.equal(toHex(primitives.xWing.publicKeyOf(fromHex(vector.seed))), vector.public_key)
        const secret = primitives.xWing.decapsulate(fromHex(vector.kem_ct), fromHex(vector.seed))
        assert.equal(toHex(secret), vector.shared_secret)
      }
      const { cipherText, sharedSecret } = other.xWing.encapsulate(primitives.xWing.publicKeyOf(seed))
      assert.equal(cipherText.length, 1120)
      assert.deepEqual(primitives.xWing.decapsulate(cipherText, seed), sharedSecret)
    })

    it('refuse keys and ciphertexts that are none of X-Wing', () => {
      const publicKey = primitives.xWing.publicKeyOf(seed)
      const { cipherText } = primitives.xWing.encapsulate(publicKey)
      const notReduced = publicKey.map((byte, index) => (index < 3 ? 0xff : byte))
      const noShare = publicKey.map((byte, index) => (index < 1184 ? byte : 0))
      for (const wrong of [publicKey.subarray(1), notReduced, noShare])
        assert.throws(() => primitives.xWing.encapsulate(wrong))
      const noSecret = cipherText.map((byte, index) => (index < 1088 ? byte : 0))
      for (const wrong of [cipherText.subarray(1), noSecret])
        assert.throws(() => primitives.xWing.decapsulate(wrong, seed))
    })

    it('match the published keys and verdicts of ML-DSA-65, and verify what the others sign', async () => {
      const publicKey = fromHex(mlDsa.public_key)
      assert.deepEqual(primitives.mlDsa65.publicKeyOf(fromHex(mlDsa.seed)), publicKey)
      for (const { message, signature, valid } of mlDsa.vectors)
        assert.equal(
          await verdictOf(() => primitives.mlDsa65.verify(fromHex(signature), fromHex(message), publicKey)),
          valid,
        )
      const signature = other.mlDsa65.sign(message, seed)
      assert.equal(await primitives.mlDsa65.verify(signature, message, primitives.mlDsa65.publicKeyOf(seed)), true)
    })

    it('sign with Ed25519 as RFC 8032, section 7.1, test 2, says', async () => {
      const secret = fromHex('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb')
      const publicKey = primitives.ed25519.publicKeyOf(secret)
      assert.equal(toHex(publicKey), '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c')
      const signature = primitives.ed25519.sign(fromHex('72'), secret)
      assert.equal(
        toHex(signature),
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      )
      assert.equal(await ed25519Says(signature, fromHex('72'), publicKey), true)
      assert.equal(await ed25519Says(signature, fromHex('73'), publicKey), false)
      for (const type of ['ed25519', 'mlDsa65'] as const)
        assert.throws(() => primitives[type].publicKeyOf(secret.subarray(1)))
    })

    it('refuse each Ed25519 key of small order, in each encoding, under which anything verifies', async () => {
      const proof = Point.Fn.toBytes(5n)
      for (const key of smallKeys)
        for (const point of small) {
          const signature = Buffer.concat([Point.BASE.multiply(5n).add(point).toBytes(), proof])
          assert.equal(await ed25519Says(signature, message, key), false, `${toHex(key)} ${toHex(signature)}`)
        }
    })

    it('agree on a signature by a key with a part of small order', async () => {
      const { scalar, point } = ed25519.utils.getExtendedPublicKey(seed)
      const publicKey = point.add(TORSION).toBytes()
      const share = Point.BASE.multiply(5n)
      const digest = createHash('sha512').update(share.toBytes()).update(publicKey).update(message).digest()
      const challenge = Point.Fn.create(BigInt(`0x${digest.reverse().toString('hex')}`))
      const proof = Point.Fn.toBytes(Point.Fn.create(5n + challenge * scalar))
      const signature = Buffer.concat([share.toBytes(), proof])
      assert.equal(
        await ed25519Says(signature, message, publicKey),
        await verdictOf(() => other.ed25519.verify(signature, message, publicKey)),
      )
    })

    it('derive and authenticate as RFC 5869 and RFC 4231 say, with keys of each length', () => {
      const key = new Uint8Array(20).fill(0x0b)
      assert.equal(
        toHex(primitives.hmacSha256(key, utf8('Hi There'))),
        'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
      )
      for (const length of [0, 1, 32, 129])
        for (const salt of [undefined, new Uint8Array(0), new Uint8Array(16).fill(3), new Uint8Array(200)]) {
          const [ikm, info] = [new Uint8Array(length).fill(9), utf8('information')]
          assert.deepEqual(primitives.hkdfSha512(ikm, salt, info, 97), other.hkdfSha512(ikm, salt, info, 97))
          assert.deepEqual(primitives.hmacSha256(ikm, info), other.hmacSha256(ikm, info))
        }
    })
  })

/** The bytes, with the other sign, and each of both with the prime added to a y below 19. */
function encodingsOf(key: Uint8Array): readonly Uint8Array[] {
  const otherSign = key.map((byte, index) => (index === 31 ? byte ^ 0x80 : byte))
  return [key, otherSign].flatMap((bytes) => {
    const [first = 0, ...rest] = bytes
    const isBelow19 = first < 19 && rest.slice(0, -1).every((byte) => byte === 0) && ((rest.at(-1) ?? 0) & 0x7f) === 0
    const shifted = bytes.map((byte, index) => (index === 0 ? byte + 0xed : index === 31 ? byte | 0x7f : 0xff))
    return isBelow19 ? [bytes, shifted] : [bytes]
  })
}
