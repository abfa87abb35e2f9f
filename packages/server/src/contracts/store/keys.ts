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

    it(
      'lists the statements in the order of their keys, one for each key that is there',
      inStore(async (store) => {
        const change = (number: number) => ({ keyId: keyId(number), leave: bytes(9, number), arrive: bytes(8, number) })
        await store.write([], async (tx) => {
          await tx.keys.insertAttestationKey(key(9, 0, 10))
          await tx.keys.insertAttestationKey(key(5, 10, 20))
          await tx.keys.insertKeyChange(change(5))
          await tx.keys.insertAttestationKey(key(7, 20))
          await tx.keys.insertKeyChange(change(7))
        })
        const listed = [change(5), change(7)]
        assert.deepEqual(await store.read((tx) => tx.keys.keyChanges()), listed)
        await assert.rejects(store.write([], (tx) => tx.keys.insertKeyChange(change(7))))
        await assert.rejects(store.write([], (tx) => tx.keys.insertKeyChange(change(8))))
        assert.deepEqual(await store.read((tx) => tx.keys.keyChanges()), listed)
      }),
    )

    it(
      'removes a key that nothing names, and no other one',
      inStore(async (store) => {
        await store.write([], (tx) => tx.keys.insertAttestationKey(key(1, 0)))
        await store.write([], async (tx) => {
          await tx.keys.removeUnusedKey(keyId(1))
          await tx.keys.insertAttestationKey(key(2, 0))
          await tx.keys.insertKeyChange({ keyId: keyId(2), leave: bytes(1), arrive: bytes(1) })
        })
        await assert.rejects(store.write([], (tx) => tx.keys.removeUnusedKey(keyId(2))))
        assert.deepEqual(await store.read((tx) => tx.keys.attestationKeys()), [key(2, 0)])
      }),
    )
  })
}
