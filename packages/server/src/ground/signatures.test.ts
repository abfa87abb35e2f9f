import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import { createSignatures, type Signatures } from './signatures.ts'

const native = createSignatures()
const inJavaScript = createSignatures(ml_dsa65)
const seed = Uint8Array.from({ length: 32 }, (_, index) => index)
const message = new TextEncoder().encode('a receipt')

for (const type of ['ed25519', 'ml-dsa-65'] as const)
  describe(`the signatures of ${type}, by Node and in JavaScript`, () => {
    const publicKeyOf = (signatures: Signatures) => signatures.publicBytes(signatures.signingKey(type, seed))

    it('have the same public key for a seed', () => {
      assert.deepEqual(publicKeyOf(inJavaScript), publicKeyOf(native))
    })

    for (const [signer, verifier] of [
      [native, inJavaScript],
      [inJavaScript, native],
    ] as const)
      it(`verify each other (${signer === native ? 'Node signs' : 'Node verifies'})`, async () => {
        const signature = signer.sign(signer.signingKey(type, seed), message)
        const key = verifier.verifyingKey(type, publicKeyOf(signer))
        assert.equal(verifier.verify(key, message, signature), true)
        assert.equal(await verifier.verifyAside(key, message, signature), true)
        const other = Uint8Array.from(message, (byte) => byte ^ 1)
        assert.equal(verifier.verify(key, other, signature), false)
        assert.equal(await verifier.verifyAside(key, other, signature), false)
        const cut = signature.subarray(1)
        assert.equal(verifier.verify(key, message, cut), false)
      })

    it('refuse a key of another size', () => {
      for (const signatures of [native, inJavaScript]) {
        assert.throws(() => signatures.verifyingKey(type, new Uint8Array(31)))
        assert.throws(() => signatures.signingKey(type, new Uint8Array(31)))
      }
    })
  })
