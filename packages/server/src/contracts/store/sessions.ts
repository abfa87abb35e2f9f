import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RefreshToken, Store } from '../../ports/store.ts'
import {
  account,
  accountId,
  at,
  atOnce,
  bytes,
  countTrue,
  deviceId,
  type InStore,
  passkeyId,
  seed,
  session,
  sessionId,
} from './world.ts'

export function describeSessions(inStore: InStore): void {
  describe('sessions', () => {
    describeSessionRows(inStore)
    describeLists(inStore)
    describeRefreshTokens(inStore)
    describePruning(inStore)
  })
}

function token(number: number, session: number): RefreshToken {
  return { tokenHash: bytes(32, number), sessionId: sessionId(session), issuedAt: at(0), usedAt: undefined }
}

const find = (store: Store, number: number) => store.read((tx) => tx.sessions.find(sessionId(number)))

function describeSessionRows(inStore: InStore): void {
  it(
    'are found with their account, in any state',
    inStore(async (store) => {
      await seed(store)
      const ended = session(2, { endedAt: at(60), accountId: accountId(2) })
      await store.write([], async (tx) => {
        await tx.sessions.insert(session(1))
        await tx.sessions.insert(ended)
      })
      const found = (number: number) => store.read((tx) => tx.sessions.findWithAccount(sessionId(number)))
      const account = (number: number) => store.read((tx) => tx.accounts.find(accountId(number)))
      const { expiresAt } = session(1)
      assert.deepEqual(await found(1), { account: await account(1), session: { endedAt: undefined, expiresAt } })
      assert.deepEqual(await found(2), {
        account: await account(2),
        session: { endedAt: at(60), expiresAt: ended.expiresAt },
      })
      assert.equal(await found(9), undefined)
    }),
  )

  it(
    'ties a session to one of 64 simultaneous devices, and leaves others unchanged',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.sessions.insert(session(1))
        await tx.sessions.insert(session(2))
      })
      const bound = await atOnce(store, 64, (tx, index) => tx.sessions.bind(sessionId(1), deviceId(index + 1)))
      assert.equal(countTrue(bound), 1)
      assert.deepEqual(await find(store, 1), session(1, { deviceId: deviceId(bound.indexOf(true) + 1) }))
      assert.deepEqual(await find(store, 2), session(2))
      assert.equal(await store.write([], (tx) => tx.sessions.bind(sessionId(9), deviceId(1))), false)
    }),
  )

  it(
    'ends the sessions that a passkey of the account opened, but one, and leaves others and ended ones unchanged',
    inStore(async (store) => {
      await seed(store)
      const opened = [
        session(1, { passkeyId: passkeyId(1) }),
        session(2, { passkeyId: passkeyId(1) }),
        session(3, { passkeyId: passkeyId(2) }),
        session(4, { passkeyId: passkeyId(1), endedAt: at(60) }),
        session(5, { passkeyId: passkeyId(1), accountId: accountId(2) }),
        session(6),
      ]
      await store.write([], async (tx) => {
        for (const each of opened) await tx.sessions.insert(each)
        const passkey = { accountId: accountId(1), passkeyId: passkeyId(1) }
        await tx.sessions.endAllOfPasskey(passkey, at(70), sessionId(2))
      })
      const ends = await Promise.all([1, 2, 3, 4, 5, 6].map(async (number) => (await find(store, number))?.endedAt))
      assert.deepEqual(ends, [at(70), undefined, undefined, at(60), undefined, undefined])
    }),
  )

  it(
    'ends all sessions of an account, or all but one, and leaves ended ones unchanged',
    inStore(async (store) => {
      await seed(store)
      const ends = () =>
        store.read(async (tx) => {
          const sessions = await Promise.all([1, 2, 3, 4].map((number) => tx.sessions.find(sessionId(number))))
          return sessions.map((each) => each?.endedAt)
        })
      await store.write([], async (tx) => {
        await tx.accounts.insert(account(9))
        for (const number of [1, 2, 3]) await tx.sessions.insert(session(number))
        await tx.sessions.insert(session(4, { accountId: accountId(9) }))
        await tx.sessions.end(sessionId(3), at(60))
        await tx.sessions.endAllOf(accountId(1), at(70), sessionId(1))
      })
      assert.deepEqual(await ends(), [undefined, at(70), at(60), undefined])
      await store.write([], (tx) => tx.sessions.endAllOf(accountId(1), at(80)))
      assert.deepEqual(await ends(), [at(80), at(70), at(60), undefined])
    }),
  )
}

function describeLists(inStore: InStore): void {
  it(
    'lists the live sessions of an account, oldest first',
    inStore(async (store) => {
      await seed(store)
      const sessions = [
        session(5, { createdAt: at(1) }),
        session(1, { createdAt: at(2) }),
        session(2, { createdAt: at(1) }),
        session(3, { endedAt: at(5) }),
        session(4, { expiresAt: at(100) }),
        session(6, { accountId: accountId(2) }),
      ]
      await store.write([], async (tx) => {
        for (const each of sessions) await tx.sessions.insert(each)
      })
      const live = await store.read((tx) => tx.sessions.listLive(accountId(1), at(100)))
      assert.deepEqual(
        live,
        [sessions[2], sessions[0], sessions[1]].map((each) => ({ ...each, sealedName: undefined })),
      )
      const named = async () =>
        (await store.read((tx) => tx.sessions.listLive(accountId(1), at(100)))).map(({ sealedName }) => sealedName)
      await store.write([], (tx) => tx.sessions.setName(sessionId(5), bytes(40)))
      assert.ok((await named()).some((name) => name !== undefined))
      await store.write([], (tx) => tx.sessions.setName(sessionId(5), undefined))
      assert.deepEqual(await named(), [undefined, undefined, undefined])
    }),
  )
}

function describeRefreshTokens(inStore: InStore): void {
  it(
    'finds a refresh token by its hash',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.sessions.insert(session(1))
        await tx.sessions.insertRefreshToken(token(1, 1))
      })
      assert.deepEqual(await store.read((tx) => tx.sessions.findRefreshToken(bytes(32, 1))), token(1, 1))
      assert.equal(await store.read((tx) => tx.sessions.findRefreshToken(bytes(32, 2))), undefined)
    }),
  )

  it(
    'accepts one of 64 simultaneous uses, and records its instant',
    inStore(async (store) => {
      await seed(store)
      await store.write([], async (tx) => {
        await tx.sessions.insert(session(1))
        await tx.sessions.insertRefreshToken(token(1, 1))
      })
      const used = await atOnce(store, 64, (tx, index) => tx.sessions.useRefreshToken(bytes(32, 1), at(index + 1)))
      assert.equal(countTrue(used), 1)
      const found = await store.read((tx) => tx.sessions.findRefreshToken(bytes(32, 1)))
      assert.equal(found?.usedAt, at(used.indexOf(true) + 1))
      assert.equal(await store.write([], (tx) => tx.sessions.useRefreshToken(bytes(32, 9), at(1))), false)
    }),
  )
}

function describePruning(inStore: InStore): void {
  it(
    'removes sessions that ended or expired before an instant, with their tokens, and no others',
    inStore(async (store) => {
      await seed(store)
      const sessions = [
        session(1, { expiresAt: at(99) }),
        session(2, { expiresAt: at(100) }),
        session(3, { expiresAt: at(500), endedAt: at(99) }),
        session(4, { expiresAt: at(500), endedAt: at(100) }),
      ]
      await store.write([], async (tx) => {
        for (const [index, each] of sessions.entries()) {
          await tx.sessions.insert(each)
          await tx.sessions.insertRefreshToken(token(index + 1, index + 1))
        }
        await tx.sessions.prune(at(100))
      })
      const kept = await store.read((tx) =>
        Promise.all(
          [1, 2, 3, 4].map(async (number) => [
            (await tx.sessions.find(sessionId(number))) !== undefined,
            (await tx.sessions.findRefreshToken(bytes(32, number))) !== undefined,
          ]),
        ),
      )
      assert.deepEqual(kept, [
        [false, false],
        [true, true],
        [false, false],
        [true, true],
      ])
    }),
  )
}
