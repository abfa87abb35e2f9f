import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import { newAlbumOwner } from '../../testing/assets.ts'
import { notRefused } from '../../testing/guest.ts'
import { movedTo } from '../../testing/moved.ts'
import { draft } from '../../testing/receipts.ts'
import { deskOf, guarded, register } from '../../testing/secondFactor.ts'
import { registration } from '../../testing/signInKeys.ts'
import { inWorld, newAccount, type World } from '../../testing/world.ts'
import { createReceiptLog } from '../custody/receipts.ts'
import { ServerMoved } from './serverId.ts'

const NEW = 'https://drop.example.org'

const accountsIn = ({ store }: World) => store.read((tx) => tx.accounts.list({ afterEmail: undefined, max: 9 }))

describe('a process that slept through a move', () => {
  it(
    'makes no account',
    inWorld(async (world) => {
      await newAccount(world)
      const before = await accountsIn(world)
      await movedTo(world, NEW)
      await assert.rejects(deskOf(world).accounts.register(registration()), ServerMoved)
      assert.deepEqual(await accountsIn(world), before)
    }),
  )

  it(
    'opens no session',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { accountId } = await register(desk)
      const there = await movedTo(world, NEW)
      await assert.rejects(desk.login(), ServerMoved)
      assert.deepEqual(await there.rules.sessions.list(accountId), [])
    }),
  )

  it(
    'gives no challenge',
    inWorld(async (world) => {
      const desk = deskOf(world)
      await guarded(desk, world)
      await movedTo(world, NEW)
      await assert.rejects(desk.login(), ServerMoved)
    }),
  )

  it(
    'renews no session, also not one of the new name',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const there = await movedTo(world, NEW)
      const { refreshToken } = await there.rules.sessions.open(accountId, undefined)
      await assert.rejects(world.rules.sessions.refresh(refreshToken), ServerMoved)
      notRefused(await there.rules.sessions.refresh(refreshToken))
    }),
  )

  it(
    'mints no capability',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      const there = await movedTo(world, NEW)
      const wanted = { albumId, peer: 'https://peer.example', expiresAt: addSeconds(world.clock.now(), 3600) }
      await assert.rejects(world.rules.capabilities.mint(accountId, wanted), ServerMoved)
      notRefused(await there.rules.capabilities.mint(accountId, wanted))
    }),
  )

  it(
    'signs no receipt, neither first nor later, nor one that it had begun',
    inWorld(async (world) => {
      await newAccount(world)
      const there = await movedTo(world, NEW)
      await assert.rejects(world.rules.receiptLog.append(draft()), ServerMoved)
      await there.rules.receiptLog.append(draft())
      await assert.rejects(world.rules.receiptLog.append(draft()), ServerMoved)
      const head = await world.store.read((tx) => tx.receipts.head())
      const log = createReceiptLog({
        ...{ store: world.store, clock: world.clock, serverId: NEW },
        signerOf: (key) => ({
          async receipts(payloads, keyId) {
            const signed = await there.keyring.openAttestationKey(key).receipts(payloads, keyId)
            await movedTo(there, 'https://third.example')
            return signed
          },
        }),
      })
      await assert.rejects(log.append(draft()), ServerMoved)
      assert.deepEqual(await world.store.read((tx) => tx.receipts.head()), head)
    }),
  )

  it(
    'publishes nothing of itself any more',
    inWorld(async (world) => {
      await newAccount(world)
      await world.rules.discovery.serverInfo()
      await movedTo(world, NEW)
      await assert.rejects(world.rules.discovery.serverInfo(), ServerMoved)
      await assert.rejects(world.rules.discovery.moves(), ServerMoved)
    }),
  )
})
