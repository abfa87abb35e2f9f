import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Channel, ChannelClaim, NewChannel, Store, WriteTx } from '../../ports/store.ts'
import { accountId, at, atOnce, bytes, channelId, dropId, type InStore, opaqueId, seed } from './world.ts'

export function channel(number: number, given: Partial<NewChannel> = {}): NewChannel {
  return {
    channelId: channelId(number),
    accountId: accountId(1),
    kind: 'webhook',
    state: 'active',
    sealedTarget: bytes(40, number),
    createdAt: at(number),
    ...given,
  }
}

export function describeChannels(inStore: InStore): void {
  describe('channels', () => {
    describeRows(inStore)
    describeNews(inStore)
    describeAttempts(inStore)
  })
}

const insert = (store: Store, ...channels: readonly NewChannel[]) =>
  store.write([], async (tx) => {
    const answers: boolean[] = []
    for (const each of channels) answers.push(await tx.channels.insert(each))
    return answers
  })
const find = (store: Store, number = 1) => store.read((tx) => tx.channels.find(channelId(number)))

function fresh(inserted: NewChannel, notifiedSeq = 0): Channel {
  const nothing = { sendingSeq: undefined, leasedUntil: undefined, sentAt: undefined, failedAt: undefined }
  return { ...inserted, ...nothing, notifiedSeq, dueAt: inserted.createdAt, attempts: 0, fault: undefined }
}

async function land(tx: WriteTx, count: number, { account = 1, second = 1 } = {}): Promise<void> {
  const change = { name: 'drop.landed', dropId: dropId(1), opaqueId: opaqueId(1) } as const
  const events = Array.from({ length: count }, (_, index) => ({
    accountId: accountId(account),
    change,
    at: at(second + index),
  }))
  await tx.changes.insertNextEvents(events)
}

function describeRows(inStore: InStore): void {
  it(
    'returns a channel as it was inserted, with the account’s last change, and overwrites none',
    inStore(async (store) => {
      await seed(store)
      await store.write([], (tx) => land(tx, 3))
      assert.deepEqual(await insert(store, channel(1), channel(1, { accountId: accountId(2) })), [true, false])
      assert.deepEqual(await find(store), fresh(channel(1), 3))
      assert.equal(await find(store, 9), undefined)
    }),
  )

  it(
    'lists and removes the channels of one account',
    inStore(async (store) => {
      await seed(store)
      await insert(store, channel(3), channel(2), channel(4, { accountId: accountId(2) }))
      const listed = async (account = 1) =>
        (await store.read((tx) => tx.channels.listOf(accountId(account)))).map((each) => each.channelId)
      assert.deepEqual(await listed(), [channelId(3), channelId(2)])
      await store.write([], (tx) => tx.channels.remove(channelId(4), accountId(1)))
      await store.write([], (tx) => tx.channels.remove(channelId(3), accountId(1)))
      assert.deepEqual([await listed(), await listed(2)], [[channelId(2)], [channelId(4)]])
    }),
  )

  it(
    'confirms an unconfirmed channel once, with the target that was read',
    inStore(async (store) => {
      await seed(store)
      await insert(store, channel(1, { kind: 'email', state: 'unconfirmed' }))
      const confirm = (from: number) =>
        store.write([], (tx) => tx.channels.confirm(channelId(1), { from: bytes(40, from), to: bytes(50) }))
      assert.deepEqual([await confirm(2), await confirm(1), await confirm(1)], [false, true, false])
      const { state, sealedTarget } = (await find(store)) ?? {}
      assert.deepEqual([state, sealedTarget], ['active', bytes(50)])
    }),
  )
}

function describeNews(inStore: InStore): void {
  it(
    'finds active channels of live accounts that have not reported the last change',
    inStore(async (store) => {
      await seed(store)
      await insert(store, channel(1), channel(2, { state: 'unconfirmed' }), channel(3, { accountId: accountId(2) }))
      const newsOf = async () =>
        (await store.read((tx) => tx.channels.newsOf([accountId(1), accountId(2)]))).map((each) => [
          each.channelId,
          each.changeSeq,
        ])
      const accounts = async (second = 9, after = 0) =>
        (await store.read((tx) => tx.channels.withNews({ at: at(second), after, max: 5 }))).map(
          (each) => each.accountId,
        )
      assert.deepEqual([await newsOf(), await accounts()], [[], []])
      await store.write([], (tx) => land(tx, 2))
      assert.deepEqual([await newsOf(), await accounts()], [[[channelId(1), 2]], [accountId(1)]])
      assert.deepEqual(await accounts(0), [], 'not due')
      await store.write([], (tx) => tx.accounts.setSuspended(accountId(1), at(1)))
      assert.deepEqual([await newsOf(), await accounts()], [[], []])
    }),
  )

  it(
    'goes on after the last channel of a page',
    inStore(async (store) => {
      await seed(store)
      await insert(store, channel(1), channel(2), channel(3))
      await store.write([], (tx) => land(tx, 1))
      const page = (after: number) => store.read((tx) => tx.channels.withNews({ at: at(9), after, max: 2 }))
      const [first, second] = await page(0)
      const last = await page(second?.place ?? 0)
      assert.deepEqual(
        [first, second, ...last].map((each) => each?.accountId),
        [1, 1, 1].map(accountId),
      )
      assert.deepEqual(await page(last[0]?.place ?? 0), [])
    }),
  )

  it(
    'counts the drops that landed in a range of changes, says whether the inbox needs its owner, and nothing else',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await land(tx, 1)
        await tx.changes.insertNextEvents([{ accountId: accountId(1), change: { name: 'quota.changed' }, at: at(2) }])
        await land(tx, 2, { second: 10 })
        await land(tx, 1, { account: 2 })
        for (const name of ['inbox.nearly_full', 'drop.refused'] as const)
          await tx.changes.insertNextEvents([{ accountId: accountId(1), change: { name }, at: at(20) }])
      })
      const landings = (after: number, upTo: number) =>
        store.read((tx) => tx.channels.landings(accountId(1), { after, upTo }))
      const none = { isNearlyFull: false, isRefused: false }
      assert.deepEqual(await landings(0, 4), { ...none, count: 3, firstAt: at(1), lastAt: at(11) })
      assert.deepEqual(await landings(1, 3), { ...none, count: 1, firstAt: at(10), lastAt: at(10) })
      const both = { isNearlyFull: true, isRefused: true, count: 0, firstAt: at(20), lastAt: at(20) }
      assert.deepEqual(await landings(4, 9), both)
      assert.deepEqual(await landings(5, 9), { ...both, isNearlyFull: false })
      assert.equal(await landings(1, 2), undefined)
    }),
  )
}

const claimOf = (given: Partial<ChannelClaim> = {}): ChannelClaim => ({
  claimId: 'one',
  after: 0,
  upTo: 2,
  at: at(10),
  until: at(70),
  ...given,
})
const claim = (store: Store, given?: Partial<ChannelClaim>) =>
  store.write([], (tx) => tx.channels.claim(channelId(1), claimOf(given)))

function describeAttempts(inStore: InStore): void {
  it(
    'gives one of several simultaneous claims the attempt, and the next one only after its lease',
    inStore(async (store) => {
      await seed(store)
      await insert(store, channel(1))
      const claims = await atOnce(store, 8, (tx, index) =>
        tx.channels.claim(channelId(1), claimOf({ claimId: `claim ${index}` })),
      )
      assert.deepEqual(claims.toSorted(), [2, ...Array.from({ length: 7 }, () => undefined)])
      assert.equal(await claim(store, { at: at(69), upTo: 5 }), undefined)
      assert.equal(await claim(store, { at: at(70), until: at(130), upTo: 5 }), 2, 'the first message again')
      assert.equal(
        await store.write([], (tx) =>
          tx.channels.settle(channelId(1), { claimId: 'claim 0', at: at(71), dueAt: at(99) }),
        ),
        false,
      )
    }),
  )

  it(
    'reports what an attempt covered once it has arrived, and is not due before its next time',
    inStore(async (store) => {
      await seed(store)
      await insert(store, channel(1))
      await claim(store)
      const settle = () =>
        store.write([], (tx) => tx.channels.settle(channelId(1), { claimId: 'one', at: at(11), dueAt: at(71) }))
      assert.deepEqual([await settle(), await settle()], [true, false])
      const settled = { ...fresh(channel(1), 2), sentAt: at(11), dueAt: at(71) }
      assert.deepEqual(await find(store), settled)
      assert.equal(await claim(store, { after: 2, upTo: 3, at: at(70) }), undefined)
      assert.equal(await claim(store, { after: 0, upTo: 3, at: at(71) }), undefined, 'reported meanwhile')
      assert.equal(await claim(store, { after: 2, upTo: 3, at: at(71), until: at(99) }), 3)
    }),
  )

  it(
    'counts failed attempts, and repeats the same message until it is given up and resumed',
    inStore(async (store) => {
      await seed(store)
      await insert(store, channel(1))
      const fail = (second: number, state: 'active' | 'given_up') =>
        store.write([], (tx) =>
          tx.channels.fail(channelId(1), {
            claimId: 'one',
            at: at(second),
            fault: 'timed_out',
            state,
            dueAt: at(second + 10),
          }),
        )
      await claim(store)
      assert.deepEqual([await fail(20, 'active'), await fail(20, 'active')], [true, false])
      const failed = { ...fresh(channel(1)), sendingSeq: 2, attempts: 1, failedAt: at(20), fault: 'timed_out' }
      assert.deepEqual(await find(store), { ...failed, dueAt: at(30) })
      assert.equal(await claim(store, { at: at(30), upTo: 7 }), 2)
      await fail(31, 'given_up')
      assert.equal(await claim(store, { at: at(99), upTo: 7 }), undefined)
      await store.write([], (tx) => tx.channels.resume(channelId(1), at(100)))
      const resumed = { ...fresh(channel(1)), sendingSeq: 2, dueAt: at(100) }
      assert.deepEqual(await find(store), resumed)
      await store.write([], (tx) => tx.channels.resume(channelId(1), at(200)))
      assert.deepEqual(await find(store), resumed, 'an active channel stays as it is')
    }),
  )

  it(
    'skips changes without a drop, unless an attempt has begun',
    inStore(async (store) => {
      await seed(store)
      await insert(store, channel(1))
      const skip = (after: number, upTo: number) =>
        store.write([], (tx) => tx.channels.skip(channelId(1), { after, upTo, at: at(20) }))
      await skip(1, 5)
      assert.equal((await find(store))?.notifiedSeq, 0)
      await skip(0, 1)
      assert.equal((await find(store))?.notifiedSeq, 1)
      await claim(store, { after: 1 })
      await skip(1, 2)
      assert.equal((await find(store))?.notifiedSeq, 1)
      const failed = { claimId: 'one', at: at(11), fault: 'rejected', state: 'active', dueAt: at(12) } as const
      await store.write([], (tx) => tx.channels.fail(channelId(1), failed))
      await skip(1, 9)
      assert.equal((await find(store))?.sendingSeq, 2, 'another message is to be repeated')
      await skip(1, 2)
      const { notifiedSeq, sendingSeq } = (await find(store)) ?? {}
      assert.deepEqual([notifiedSeq, sendingSeq], [2, undefined])
    }),
  )
}
