import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store, WriteTx } from '../../ports/store.ts'
import { account, accountId, at, atOnce, bytes, countTrue, type InStore, opaqueId, seed } from './world.ts'

const max = Number.MAX_SAFE_INTEGER

export function describeAccounts(inStore: InStore): void {
  describe('accounts', () => {
    describeRows(inStore)
    describeWords(inStore)
    describeUse(inStore)
    describeOperation(inStore)
  })
}

async function usedBytes(store: Store): Promise<number | undefined> {
  return (await store.read((tx) => tx.accounts.find(accountId(1))))?.usedBytes
}

function describeRows(inStore: InStore): void {
  it(
    'returns an account as it was inserted, with no use and no limits of its own',
    inStore(async (store) => {
      const full = account(1, {
        sealedAccountKey: bytes(80, 1),
        sealedRecoveryKey: bytes(80, 2),
        recoveryKeyHash: bytes(32, 3),
      })
      const bare = account(2, { salt: undefined })
      await store.write([], async (tx) => {
        await tx.accounts.insert(full)
        await tx.accounts.insert(bare)
      })
      const fresh = {
        suspendedAt: undefined,
        deletedAt: undefined,
        usedBytes: 0,
        softLimitBytes: undefined,
        hardLimitBytes: undefined,
        exceededSince: undefined,
        recoveryConfirmedAt: undefined,
        totpConfirmedAt: undefined,
      }
      const found = await store.read(async (tx) => [
        await tx.accounts.find(full.accountId),
        await tx.accounts.findByEmail(bare.email),
      ])
      assert.deepEqual(found, [
        { ...full, ...fresh },
        { ...bare, ...fresh },
      ])
    }),
  )

  it(
    'gives an e-mail to one of several simultaneous accounts',
    inStore(async (store) => {
      const email = 'same@example.org'
      const inserted = await atOnce(store, 8, (tx, index) => tx.accounts.insert(account(index + 1, { email })))
      assert.equal(countTrue(inserted), 1)
      const owner = await store.read((tx) => tx.accounts.findByEmail(email))
      assert.equal(owner?.accountId, accountId(inserted.indexOf(true) + 1))
    }),
  )

  it(
    'changes the sign-in key and what goes with it for one of several simultaneous requests with the present key',
    inStore(async (store) => {
      await seed(store)
      const before = await store.read((tx) => tx.accounts.find(accountId(1)))
      const valuesOf = (number: number) => {
        const { salt, kdfVersion } = account(number)
        return { signInKeyHash: bytes(32, number), kdfVersion, salt, sealedAccountKey: bytes(80, number) }
      }
      const from = account(1).signInKeyHash
      // None of the new keys is the present one.
      const first = 20
      const changed = await atOnce(store, 8, (tx, index) =>
        tx.accounts.changeSignInKey(accountId(1), from, valuesOf(index + first)),
      )
      assert.equal(countTrue(changed), 1)
      const values = valuesOf(changed.indexOf(true) + first)
      assert.deepEqual(await store.read((tx) => tx.accounts.find(accountId(1))), { ...before, ...values })
      const none = { ...values, signInKeyHash: bytes(32, 8), salt: undefined, sealedAccountKey: undefined }
      assert.equal(
        await store.write([], (tx) => tx.accounts.changeSignInKey(accountId(1), values.signInKeyHash, none)),
        true,
      )
      assert.deepEqual(await store.read((tx) => tx.accounts.find(accountId(1))), { ...before, ...none })
    }),
  )
}

function describeWords(inStore: InStore): void {
  it(
    'replaces the recovery words, and confirms the present ones once',
    inStore(async (store) => {
      await seed(store)
      const before = await store.read((tx) => tx.accounts.find(accountId(1)))
      const values = { sealedRecoveryKey: bytes(80, 2), recoveryKeyHash: bytes(32, 3) }
      const after = async (work: (tx: WriteTx) => Promise<void>) => {
        await store.write([], work)
        return store.read((tx) => tx.accounts.find(accountId(1)))
      }
      const confirm = (hash: Uint8Array, second: number) =>
        after((tx) => tx.accounts.confirmRecoveryKey(accountId(1), hash, at(second)))
      const change = () => after((tx) => tx.accounts.changeRecoveryKey(accountId(1), values))
      assert.deepEqual(await change(), { ...before, ...values })
      assert.deepEqual(await confirm(bytes(32, 4), 1), { ...before, ...values })
      for (const second of [2, 3])
        assert.deepEqual(await confirm(values.recoveryKeyHash, second), {
          ...before,
          ...values,
          recoveryConfirmedAt: at(2),
        })
      assert.deepEqual(await change(), { ...before, ...values })
    }),
  )
}

function describeUse(inStore: InStore): void {
  it(
    'admits a charge up to exactly the limit, and changes nothing beyond it',
    inStore(async (store) => {
      await seed(store)
      const charge = (size: number) =>
        store.write([], async (tx) => (await tx.accounts.charge(accountId(1), size, 100)) !== undefined)
      assert.equal(await charge(60), true)
      assert.equal(await charge(41), false)
      assert.equal(await usedBytes(store), 60)
      assert.equal(await charge(40), true)
      assert.equal(await charge(1), false)
      assert.equal(await usedBytes(store), 100)
    }),
  )

  it(
    'admits exactly as many of 64 simultaneous charges as fit',
    inStore(async (store) => {
      await seed(store)
      const admitted = await atOnce(
        store,
        64,
        async (tx) => (await tx.accounts.charge(accountId(1), 10, 239)) !== undefined,
      )
      assert.equal(countTrue(admitted), 23)
      assert.equal(await usedBytes(store), 230)
    }),
  )

  it(
    'charges up to the largest exact number if there is no limit',
    inStore(async (store) => {
      await seed(store)
      const charge = (size: number) =>
        store.write([], async (tx) => (await tx.accounts.charge(accountId(1), size, undefined)) !== undefined)
      assert.equal(await charge(max - 1), true)
      assert.equal(await charge(2), false)
      assert.equal(await charge(1), true)
      assert.equal(await usedBytes(store), max)
    }),
  )

  it(
    'throws on a refund that exceeds the use, and changes nothing',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.accounts.charge(accountId(1), 100, undefined))
      await assert.rejects(
        store.write([], async (tx) => {
          await tx.accounts.refund(accountId(1), 50)
          await tx.accounts.refund(accountId(1), 51)
        }),
      )
      assert.equal(await usedBytes(store), 100)
      await assert.rejects(store.write([], (tx) => tx.accounts.refund(accountId(9), 0)))
    }),
  )
}

function describeOperation(inStore: InStore): void {
  const emails = ['ann@example.org', 'bob@example.org', 'eve@example.org']

  it(
    'lists accounts by e-mail, page by page',
    inStore(async (store) => {
      await store.write([], async (tx) => {
        for (const [index, email] of [...emails.entries()].toReversed())
          await tx.accounts.insert(account(index + 1, { email }))
      })
      const list = async (afterEmail: string | undefined, limit: number) =>
        (await store.read((tx) => tx.accounts.list({ afterEmail, max: limit }))).map(({ email }) => email)
      assert.deepEqual(await list(undefined, 9), emails)
      assert.deepEqual(await list(undefined, 2), emails.slice(0, 2))
      assert.deepEqual(await list('bob@example.org', 2), ['eve@example.org'])
      assert.deepEqual(await list('eve@example.org', 2), [])
      const [first] = await store.read((tx) => tx.accounts.list({ afterEmail: undefined, max: 1 }))
      assert.deepEqual(first, await store.read((tx) => tx.accounts.find(accountId(1))))
    }),
  )

  it(
    'tells the standing of an account, also with its link',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => tx.accounts.setSuspended(accountId(1), at(3)))
      const suspended = { suspendedAt: at(3), deletedAt: undefined }
      await store.read(async (tx) => {
        assert.deepEqual(await tx.accounts.standing(accountId(1)), suspended)
        assert.deepEqual(await tx.accounts.standing(accountId(2)), { ...suspended, suspendedAt: undefined })
        const found = await tx.links.findWithOwner(opaqueId(1))
        const use = { usedBytes: 0, softLimitBytes: undefined, hardLimitBytes: undefined, exceededSince: undefined }
        const owner = { ...suspended, ...use, accountId: accountId(1) }
        const row = await tx.links.find(opaqueId(1))
        assert.ok(row)
        const { sealedLabel, sealedTitle, refusals, ...link } = row
        assert.deepEqual([sealedLabel, sealedTitle, refusals], [undefined, undefined, undefined])
        assert.deepEqual(found, { link, owner }, 'a long text would tell a dead link from none')
        assert.equal(await tx.accounts.standing(accountId(9)), undefined)
        assert.equal(await tx.links.findWithOwner(opaqueId(9)), undefined)
        const several = await tx.links.takers([opaqueId(2), opaqueId(9), opaqueId(1)])
        const one = { singleUse: false, claimedBy: undefined, opaqueId: opaqueId(1), owner: suspended }
        assert.deepEqual(
          several.toSorted((one, other) => (one.opaqueId < other.opaqueId ? -1 : 1)),
          [one, { ...one, opaqueId: opaqueId(2), owner: { ...suspended, suspendedAt: undefined } }],
        )
      })
    }),
  )

  it(
    'counts refusals of one reason from the first one on, and begins again with another reason or later',
    inStore(async (store) => {
      await seed(store)
      const note = (second: number, why: 'inbox_full' | 'quota_exceeded', number = 1) =>
        store.write([], (tx) =>
          tx.accounts.noteRefusal(accountId(number), { why, at: at(second), since: at(second - 10) }),
        )
      assert.equal(await store.read((tx) => tx.accounts.refusals(accountId(1))), undefined)
      const first = { why: 'inbox_full', count: 1, firstAt: at(5), lastAt: at(5) } as const
      assert.deepEqual(await note(5, 'inbox_full'), first)
      const second = { ...first, count: 2, lastAt: at(15) }
      assert.deepEqual(await note(15, 'inbox_full'), second)
      assert.deepEqual(await store.read((tx) => tx.accounts.refusals(accountId(1))), second)
      assert.deepEqual(await note(16, 'inbox_full'), { ...first, firstAt: at(16), lastAt: at(16) })
      const other = { why: 'quota_exceeded', count: 1, firstAt: at(17), lastAt: at(17) }
      assert.deepEqual(await note(17, 'quota_exceeded'), other)
      assert.deepEqual(await store.read((tx) => tx.accounts.refusals(accountId(2))), undefined)
      assert.equal(await note(18, 'quota_exceeded', 9), undefined)
    }),
  )

  it(
    'suspends one account once, even if requested simultaneously, and ends the suspension once',
    inStore(async (store) => {
      await seed(store)
      const suspendedAt = async (number: number) =>
        (await store.read((tx) => tx.accounts.find(accountId(number))))?.suspendedAt
      assert.equal(await store.write([], (tx) => tx.accounts.setSuspended(accountId(1), undefined)), false)
      const suspended = await atOnce(store, 8, (tx, index) => tx.accounts.setSuspended(accountId(1), at(index)))
      assert.equal(countTrue(suspended), 1)
      assert.deepEqual([await suspendedAt(1), await suspendedAt(2)], [at(suspended.indexOf(true)), undefined])
      const ended = await atOnce(store, 8, (tx) => tx.accounts.setSuspended(accountId(1), undefined))
      assert.equal(countTrue(ended), 1)
      assert.equal(await suspendedAt(1), undefined)
      assert.equal(await store.write([], (tx) => tx.accounts.setSuspended(accountId(9), at(1))), false)
    }),
  )
}
