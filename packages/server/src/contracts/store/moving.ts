import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { channel } from './channels.ts'
import { challenge, codeHash } from './secondFactors.ts'
import { share } from './shares.ts'
import {
  accountId,
  assetUpload,
  at,
  bytes,
  channelId,
  event,
  type InStore,
  link,
  opaqueId,
  passkey,
  passkeyId,
  seedWithAlbums,
  session,
  sessionId,
  upload,
} from './world.ts'

export function describeMoving(inStore: InStore): void {
  describe('a move of the server', () => {
    it(
      'counts what it concerns',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          await tx.links.insert(link(3, { expiresAt: at(50) }))
          await tx.links.insert(link(4, { expiresAt: at(51) }))
          await tx.links.insert(link(5))
          await tx.links.revoke(opaqueId(5), accountId(1), at(2))
          for (const number of [1, 2, 3]) await tx.shares.insert(share(number))
          await tx.shares.insert(share(4, { expiresAt: at(50) }))
          await tx.shares.insert(share(5, { expiresAt: at(51) }))
          await tx.shares.end(opaqueId(1), accountId(1), at(2))
          for (const number of [1, 2]) await tx.passkeys.insert(passkey(number))
          await tx.uploads.insert(upload(1))
          await tx.uploads.insert(assetUpload(2))
          await tx.channels.insert(channel(1, { kind: 'push' }))
          await tx.channels.insert(channel(2))
        })
        assert.deepEqual(await store.read((tx) => tx.moving.concerns(at(50))), {
          accounts: 2,
          withPasskeys: 1,
          links: 3,
          shares: 3,
          uploads: 1,
          pushChannels: 1,
        })
      }),
    )

    it(
      'ends sessions, challenges, passkeys and push channels of all accounts, and no other channel',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          await tx.sessions.insert(session(1))
          await tx.sessions.insert(session(2, { accountId: accountId(2) }))
          await tx.sessions.setName(sessionId(2), bytes(40))
          await tx.sessions.insert(session(3, { endedAt: at(5) }))
          await tx.challenges.insert(challenge(1))
          await tx.passkeys.insert(passkey(1))
          await tx.channels.insert(channel(1, { kind: 'push' }))
          await tx.channels.insert(channel(2, { kind: 'ntfy' }))
          await tx.moving.endSessions(at(70))
          await tx.moving.removeChallenges()
          await tx.moving.removePasskeys()
          await tx.moving.removePushChannels()
        })
        await store.read(async (tx) => {
          const ends = [1, 2, 3].map(async (number) => (await tx.sessions.find(sessionId(number)))?.endedAt)
          assert.deepEqual(await Promise.all(ends), [at(70), at(70), at(5)])
          assert.equal(await tx.challenges.find(codeHash(1)), undefined)
          assert.equal(await tx.passkeys.find(passkeyId(1)), undefined)
          const channels = [1, 2].map(async (number) => (await tx.channels.find(channelId(number)))?.kind)
          assert.deepEqual(await Promise.all(channels), [undefined, 'ntfy'])
        })
      }),
    )

    it(
      'names each account once that has an active channel other than a browser’s',
      inStore(async (store) => {
        await seedWithAlbums(store)
        await store.write([], async (tx) => {
          for (const number of [1, 2]) await tx.channels.insert(channel(number))
          const others = { accountId: accountId(2) }
          await tx.channels.insert(channel(3, { kind: 'push', ...others }))
          await tx.channels.insert(channel(4, { kind: 'email', state: 'unconfirmed', ...others }))
        })
        assert.deepEqual(await store.read((tx) => tx.moving.accountsToTell()), [accountId(1)])
      }),
    )

    it(
      'is found among the changes of an account, the first in a range',
      inStore(async (store) => {
        await seedWithAlbums(store)
        const [from, to, last] = ['https://a.example', 'https://b.example', 'https://c.example']
        await store.write([], (tx) =>
          tx.changes.insertNextEvents([
            event(1),
            event(2, { change: { name: 'server.moved', from, to } }),
            event(3, { change: { name: 'server.moved', from: to, to: last } }),
          ]),
        )
        const first = (after: number, upTo: number) =>
          store.read((tx) => tx.channels.firstMove(accountId(1), { after, upTo }))
        assert.equal(await first(0, 1), undefined)
        assert.deepEqual(await first(0, 3), { changeSeq: 2, at: at(2), from, to })
        assert.deepEqual(await first(2, 3), { changeSeq: 3, at: at(3), from: to, to: last })
        assert.equal(await first(3, 9), undefined)
      }),
    )
  })
}
