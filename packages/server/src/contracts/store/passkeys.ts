import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { NewPasskey, Passkey, Store } from '../../ports/store.ts'
import { accountId, at, atOnce, bytes, countTrue, type InStore, passkey, passkeyId, seed } from './world.ts'

const find = (store: Store, number: number) => store.read((tx) => tx.passkeys.find(passkeyId(number)))
const idsOf = async (store: Store, number: number) =>
  (await store.read((tx) => tx.passkeys.listOf(accountId(number)))).map((each) => each.passkeyId)
const fresh = (inserted: NewPasskey): Passkey => ({ ...inserted, lastUsedAt: undefined })

export function describePasskeys(inStore: InStore): void {
  describe('passkeys', () => {
    it(
      'are returned as they were inserted, with their name and last use',
      inStore(async (store) => {
        await seed(store)
        const [bare, full] = [passkey(1), passkey(2, { sealedName: bytes(40), credentialId: bytes(1023) })]
        await store.write([], async (tx) => {
          await tx.passkeys.insert(bare)
          await tx.passkeys.insert(full)
        })
        assert.deepEqual(await find(store, 1), fresh(bare))
        assert.deepEqual(await find(store, 2), fresh(full))
        assert.equal(await find(store, 9), undefined)
        await store.write([], async (tx) => {
          await tx.passkeys.noteUse(passkeyId(1), at(5))
          await tx.passkeys.setName(passkeyId(1), bytes(41))
          await tx.passkeys.setName(passkeyId(2), undefined)
        })
        assert.deepEqual(await find(store, 1), { ...bare, sealedName: bytes(41), lastUsedAt: at(5) })
        assert.deepEqual(await find(store, 2), { ...fresh(full), sealedName: undefined })
      }),
    )

    it(
      'never overwrite another one, of any account, and one of several simultaneous ones is inserted',
      inStore(async (store) => {
        await seed(store)
        const inserted = await atOnce(store, 16, (tx, index) =>
          tx.passkeys.insert(passkey(1, { keyHash: bytes(32, index) })),
        )
        assert.equal(countTrue(inserted), 1)
        const first = fresh(passkey(1, { keyHash: bytes(32, inserted.indexOf(true)) }))
        const again = passkey(1, { accountId: accountId(2), sealedName: bytes(9) })
        assert.equal(await store.write([], (tx) => tx.passkeys.insert(again)), false)
        assert.deepEqual(await find(store, 1), first)
      }),
    )

    it(
      'are listed in the order in which they were added, and removed one by one or all of an account',
      inStore(async (store) => {
        await seed(store)
        await store.write([], async (tx) => {
          for (const number of [5, 3, 4]) await tx.passkeys.insert(passkey(number))
          await tx.passkeys.insert(passkey(6, { accountId: accountId(2) }))
        })
        assert.deepEqual(await idsOf(store, 1), [passkeyId(5), passkeyId(3), passkeyId(4)])
        const remove = (number: number) => store.write([], (tx) => tx.passkeys.remove(passkeyId(number), accountId(1)))
        assert.deepEqual([await remove(3), await remove(3), await remove(6)], [true, false, false])
        assert.deepEqual(await idsOf(store, 1), [passkeyId(5), passkeyId(4)])
        await store.write([], (tx) => tx.passkeys.removeOf(accountId(1)))
        assert.deepEqual([await idsOf(store, 1), await idsOf(store, 2)], [[], [passkeyId(6)]])
      }),
    )
  })
}
