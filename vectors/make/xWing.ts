import assert from 'node:assert/strict'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { ml_kem768_x25519 } from '@noble/post-quantum/hybrid.js'

/** Published seeds, randomness and secrets. Keys and ciphertexts follow; secrets depend on all of both. */
const published = [
  {
    name: 'draft-connolly-cfrg-xwing-kem-08 to -10, appendix with test vectors, first',
    seed: '7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26',
    encapsulation_randomness:
      '3cb1eea988004b93103cfb0aeefd2a686e01fa4a58e8a3639ca8a1e3f9ae57e235b8cc873c23dc62b8d260169afa2f75ab916a58d974918835d25e6a435085b2',
    shared_secret: 'd2df0522128f09dd8e2c92b1e905c793d8f57a54c3da25861f10bf4ca613e384',
  },
  {
    name: 'the same, second',
    seed: 'badfd6dfaac359a5efbb7bcc4b59d538df9a04302e10c8bc1cbf1a0b3a5120ea',
    encapsulation_randomness:
      '17cda7cfad765f5623474d368ccca8af0007cd9f5e4c849f167a580b14aabdefaee7eef47cb0fca9767be1fda69419dfb927e9df07348b196691abaeb580b32d',
    shared_secret: 'f2e86241c64d60f6649fbc6c5b7d17180b780a3f34355e64a85749949c45f150',
  },
]

export async function xWingVectors() {
  const vectors = published.map((vector) => {
    const { publicKey } = ml_kem768_x25519.keygen(fromHex(vector.seed))
    const randomness = fromHex(vector.encapsulation_randomness)
    const { cipherText, sharedSecret } = ml_kem768_x25519.encapsulate(publicKey, randomness)
    assert.equal(toHex(sharedSecret), vector.shared_secret)
    return { ...vector, public_key: toHex(publicKey), kem_ct: toHex(cipherText) }
  })
  return { vectors }
}
