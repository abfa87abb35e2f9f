import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AttestationKey } from '../../ports/store.ts'
import { at, bytes, type InStore, keyId } from './world.ts'

function key(number: number, activeFrom: number, activeTo?: number): AttestationKey {
  return {
    keyId: keyId(number),
    publicKey: bytes(1984, number),
    sealedPrivateKey: bytes(4_100, number),
    activeFrom: at(activeFrom),
    activeTo: activeTo === undefined ? undefined : at(activeTo),
  }
}

export function describeKeysAndFacts(inStore: InStore): void {
  describe('keys and facts', () => {
    it(
      'lists attestation keys oldest first, the active one last',
      inStore(async (store) => {
        assert.deepEqual(await store.read((tx) => tx.keys.attestationKeys()), [])
        await store.write([], async (tx) => {
          await tx.keys.insertAttestationKey(key(1, 20, 30))
          await tx.keys.insertAttestationKey(key(3, 30))
          await tx.keys.insertAttestationKey(key(2, 0, 20))
        })
        const listed = await store.read((tx) => tx.keys.attestationKeys())
        assert.deepEqual(listed, [key(2, 0, 20), key(1, 20, 30), key(3, 30)])
      }),
    )

    it(
      'refuses a key twice, and a second active key',
      inStore(async (store) => {
        await store.write([], (tx) => tx.keys.insertAttestationKey(key(1, 0)))
        await assert.rejects(store.write([], (tx) => tx.keys.insertAttestationKey(key(1, 0, 5))))
        await assert.rejects(store.write([], (tx) => tx.keys.insertAttestationKey(key(2, 5))))
        assert.deepEqual(await store.read((tx) => tx.keys.attestationKeys()), [key(1, 0)])
      }),
    )

    it(
      'ends only the active key, once, and accepts another in the same transaction',
      inStore(async (store) => {
        await store.write([], (tx) => tx.keys.insertAttestationKey(key(1, 0)))
        assert.equal(await store.write([], (tx) => tx.keys.retireAttestationKey(keyId(2), at(9))), false)
        const isRetired = await store.write([], async (tx) => {
          const retired = await tx.keys.retireAttestationKey(keyId(1), at(10))
          await tx.keys.insertAttestationKey(key(2, 10))
          return retired
        })
        assert.equal(isRetired, true)
        assert.equal(await store.write([], (tx) => tx.keys.retireAttestationKey(keyId(1), at(11))), false)
        assert.deepEqual(await store.read((tx) => tx.keys.attestationKeys()), [key(1, 0, 10), key(2, 10)])
      }),
    )
  })
}
