import assert from 'node:assert/strict'
import { it } from 'node:test'
import { account, accountId, atOnce, bytes, drop, pendingDrops, receipt, type StoreWorld, seed } from './world.ts'

export function describeDurability(openWorld: () => Promise<StoreWorld & Required<Pick<StoreWorld, 'reopen'>>>): void {
  it('has all rows after it was closed and opened again', async () => {
    const { store, reopen, close } = await openWorld()
    try {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.accounts.charge(accountId(1), 123, undefined)
        await tx.drops.insert(drop(1))
        await tx.receipts.append(undefined, [receipt(1)])
        await tx.server.setFact('server_id', bytes(9))
      })
      const reopened = await reopen()
      await reopened.read(async (tx) => {
        assert.equal((await tx.accounts.find(accountId(1)))?.usedBytes, 123)
        assert.deepEqual(await pendingDrops(tx, accountId(1)), [drop(1)])
        assert.equal((await tx.receipts.head())?.receiptSeq, 1)
        assert.deepEqual(await tx.server.fact('server_id'), bytes(9))
      })
    } finally {
      await close()
    }
  })

  it('has nothing of what was rolled back, and accepts new writes, after it was opened again', async () => {
    const { store, reopen, close } = await openWorld()
    try {
      const answers = await atOnce(store, 6, async (tx, index) => {
        const inserted = await tx.accounts.insert(account(index + 1))
        return index % 2 === 0 ? inserted : { refused: 'no' }
      })
      assert.equal(answers.filter((answer) => answer === true).length, 3)
      const reopened = await reopen()
      assert.equal(await reopened.write([], (tx) => tx.accounts.insert(account(2))), true)
      const found = await reopened.read((tx) =>
        Promise.all(
          [1, 2, 3, 4, 5, 6].map(async (number) => (await tx.accounts.find(accountId(number))) !== undefined),
        ),
      )
      assert.deepEqual(found, [true, true, true, false, true, false])
    } finally {
      await close()
    }
  })
}
