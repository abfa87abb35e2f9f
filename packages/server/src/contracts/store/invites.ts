import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Invite, Store } from '../../ports/store.ts'
import { accountId, at, atOnce, countTrue, hash, type InStore, seed } from './world.ts'

/** Expires at the second of its number. */
export function invite(number: number, given: Partial<Invite> = {}): Invite {
  return {
    codeHash: hash(number),
    createdAt: at(0),
    expiresAt: at(number),
    usedBy: undefined,
    note: undefined,
    ...given,
  }
}

const insert = (store: Store, ...invites: readonly Invite[]) =>
  store.write([], async (tx) => {
    for (const each of invites) await tx.invites.insert(each)
  })
const use = (store: Store, number: number, seconds: number) =>
  store.write([], (tx) => tx.invites.use(hash(number), accountId(1), at(seconds)))

export function describeInvites(inStore: InStore): void {
  describe('invites', () => {
    it(
      'are used by one of several simultaneous requests, and not after they expired',
      inStore(async (store) => {
        await seed(store)
        await insert(store, invite(50), invite(60))
        assert.equal(await use(store, 50, 50), false)
        assert.equal(await use(store, 9, 1), false)
        const used = await atOnce(store, 16, (tx) => tx.invites.use(hash(50), accountId(1), at(49)))
        assert.equal(countTrue(used), 1)
        assert.deepEqual(await store.read((tx) => tx.invites.find(hash(50))), invite(50, { usedBy: accountId(1) }))
        assert.deepEqual(await store.read((tx) => tx.invites.find(hash(60))), invite(60))
      }),
    )

    it(
      'are revoked while they are not used, expired or not',
      inStore(async (store) => {
        await seed(store)
        await insert(store, invite(50), invite(60))
        await use(store, 60, 1)
        const revoke = (number: number) => store.write([], (tx) => tx.invites.revoke(hash(number)))
        assert.deepEqual(
          [await revoke(50), await revoke(50), await revoke(60), await revoke(9)],
          [true, false, false, false],
        )
        assert.equal(await store.read((tx) => tx.invites.find(hash(50))), undefined)
        assert.deepEqual(await store.read((tx) => tx.invites.find(hash(60))), invite(60, { usedBy: accountId(1) }))
      }),
    )
  })
}
