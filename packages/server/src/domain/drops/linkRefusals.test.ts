import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { addSeconds, type OpaqueId } from '@blindkeep/protocol/ids'
import { HELD_BACK } from '@blindkeep/protocol/schemas/links'
import { accountLock } from '../../ports/store.ts'
import { bytes, creation, land, never, newLink, notRefused, ownerOf } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, newOpaqueId, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'
import { createLinkRefusals } from './linkRefusals.ts'

const content = bytes(100)

async function refused(world: World, opaqueId: OpaqueId, size = 100): Promise<void> {
  assert.ok(isRefusal(await world.rules.drops.create(creation(opaqueId, content, { declaration: { size } }))))
  await turn()
}

/** The guest's client says each reason once. */
async function heldBack(world: World, opaqueId: OpaqueId): Promise<void> {
  for (const why of HELD_BACK) await world.rules.refusedDrops.noteHeldBack(opaqueId, why)
  await turn()
}

async function listed(world: World, opaqueId: OpaqueId) {
  const links = await world.rules.links.list(await ownerOf(world, opaqueId))
  return defined(links.find((link) => link.opaqueId === opaqueId)).refusals
}

/** What the owner reads when everything that is due was written. At an ended link a refusal counts after its answer. */
async function counted(world: World, opaqueId: OpaqueId, after = 6): Promise<object> {
  await turn()
  world.clock.advance(after)
  await world.rules.linkRefusals.tend(never)
  return { ...(await listed(world, opaqueId))?.counts }
}

async function heard(world: World, opaqueId: OpaqueId): Promise<number> {
  const question = { accountId: await ownerOf(world, opaqueId), changeSeq: 0, max: 1000 }
  const events = await world.store.read((tx) => tx.changes.eventsAfter(question))
  return events.filter(({ change }) => change.name === 'drop.refused').length
}

describe('refusals of a link', () => {
  it(
    'are counted by their reason',
    inWorld(
      async (world) => {
        const owner = await newAccount(world)
        const link = (caps: object) => newLink(world, caps, owner)
        const [small, one, short] = [
          await link({ maxFileSize: 99 }),
          await link({ maxFileCount: 1 }),
          await link({ maxTotalBytes: 150 }),
        ]
        await refused(world, small)
        await land(world, one, content)
        await refused(world, one)
        await refused(world, short, 151)
        const any = await link({})
        await refused(world, any, 2000)
        await land(world, any, content)
        await refused(world, any)
        const ended = await link({ expiresAt: addSeconds(world.clock.now(), 1) })
        world.clock.advance(2)
        await refused(world, ended)
        assert.ok(isRefusal(await world.rules.links.asGuestSees(ended)))
        assert.equal(await heard(world, any), 2, 'of the account')
        assert.deepEqual(await counted(world, small), { too_large: 1 })
        assert.deepEqual(await counted(world, one, 0), { files_full: 1 })
        assert.deepEqual(await counted(world, short, 0), { bytes_full: 1 })
        assert.deepEqual(await counted(world, any, 0), { inbox_full: 1, quota_exceeded: 1 })
        assert.deepEqual(await counted(world, ended, 0), { expired: 2 })
        assert.equal(await heard(world, any), 6, 'of four links')
        await world.rules.links.revoke(owner, ended)
        await refused(world, ended)
        assert.deepEqual(await counted(world, ended, 3600), { expired: 2, revoked: 1 })
      },
      { settings: { inboxFilesMax: 2, quotaHardBytes: 1000 } },
    ),
  )

  it(
    'are counted on the word of a guest’s client, by the limits that the link has',
    inWorld(
      async (world) => {
        const owner = await newAccount(world)
        const link = (caps: object) => newLink(world, caps, owner)
        const [small, few, short, locked] = [
          await link({ maxFileSize: 99 }),
          await link({ maxFileCount: 9 }),
          await link({ maxTotalBytes: 999 }),
          await link({ maxFileSize: 99, passphraseVerifier: content }),
        ]
        for (const opaqueId of [small, few, short, locked]) await heldBack(world, opaqueId)
        assert.equal(await listed(world, small), undefined, 'it writes nothing to the link')
        assert.deepEqual(await counted(world, small), { too_large: 1, quota_exceeded: 1 })
        assert.deepEqual(await counted(world, few, 0), { files_full: 1, quota_exceeded: 1 })
        assert.deepEqual(await counted(world, short, 0), { bytes_full: 1 })
        assert.deepEqual(await counted(world, locked, 0), { too_large: 1, quota_exceeded: 1 })
        assert.equal(await heard(world, small), 5, 'of the account, and of four links')
        const any = await link({})
        await land(world, any, content)
        await land(world, any, content)
        await heldBack(world, any)
        assert.deepEqual(await counted(world, any), { inbox_full: 1, quota_exceeded: 1 })
        assert.equal(await heard(world, small), 6, 'of the inbox')
      },
      { settings: { inboxFilesMax: 2, quotaHardBytes: 1000 } },
    ),
  )

  it(
    'are not counted on a guest’s word for limits that there are not, and at an ended link as every request there',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, {}, owner)
      await heldBack(world, opaqueId)
      assert.deepEqual(await counted(world, opaqueId), {})
      await world.rules.links.revoke(owner, opaqueId)
      await heldBack(world, opaqueId)
      assert.deepEqual(await counted(world, opaqueId), { revoked: 4 })
      assert.deepEqual(await world.rules.refusedDrops.noteHeldBack(newOpaqueId(), 'too_large'), {
        refused: 'link_not_live',
      })
    }),
  )

  it(
    'are a message each hour on a guest’s word, and one until the owner dismisses them where trying takes a passphrase',
    inWorld(
      async (world) => {
        const [opener, locker] = [await newAccount(world), await newAccount(world)]
        const open = await newLink(world, { maxFileSize: 99 }, opener)
        const locked = await newLink(world, { maxFileSize: 99, passphraseVerifier: content }, locker)
        const anHour = async () => {
          for (const opaqueId of [open, locked]) await heldBack(world, opaqueId)
          await counted(world, open, 3601)
        }
        for (let hour = 1; hour <= 3; hour += 1) await anHour()
        const ofAccount = 3
        assert.equal(await heard(world, open), 3 + ofAccount)
        assert.equal(await heard(world, locked), 1)
        assert.deepEqual(await counted(world, locked), { too_large: 3, quota_exceeded: 3 })
        notRefused(await world.rules.links.change(locker, locked, {}))
        world.clock.advance(1)
        await anHour()
        assert.equal(await heard(world, locked), 2)
      },
      { settings: { quotaHardBytes: 1000 } },
    ),
  )

  it(
    'that the account hears of are a message of each kind in an hour, also if they come in turn',
    inWorld(
      async (world) => {
        const opaqueId = await newLink(world, {})
        for (const _ of [1, 2]) await land(world, opaqueId, content)
        const inTurn = async () => {
          for (let turn = 0; turn < 5; turn += 1)
            for (const why of ['inbox_full', 'no_room'] as const) {
              world.clock.advance(60)
              await world.rules.refusedDrops.noteHeldBack(opaqueId, why)
            }
        }
        await inTurn()
        assert.equal(await heard(world, opaqueId), 2)
        world.clock.advance(3600)
        await inTurn()
        assert.equal(await heard(world, opaqueId), 4)
      },
      { settings: { inboxFilesMax: 2, quotaHardBytes: 1000 } },
    ),
  )

  it(
    'are written once an hour at most, whatever guests do, and not at all for ids that never were',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxFileSize: 99 })
      const tries = async (count: number) => {
        for (let at = 0; at < count; at += 1) await refused(world, opaqueId)
      }
      await tries(3)
      assert.equal(await listed(world, opaqueId), undefined, 'a refusal writes nothing')
      assert.deepEqual(await counted(world, opaqueId), { too_large: 3 })
      const written = await listed(world, opaqueId)
      for (let minute = 0; minute < 59; minute += 1) {
        await tries(5)
        assert.deepEqual(await counted(world, opaqueId, 60), { too_large: 3 })
      }
      assert.equal(await heard(world, opaqueId), 1)
      assert.deepEqual(await counted(world, opaqueId, 60), { too_large: 298 })
      assert.deepEqual((await listed(world, opaqueId))?.firstAt, written?.firstAt)
      assert.equal(await heard(world, opaqueId), 2)
      await refused(world, newOpaqueId())
      await counted(world, opaqueId)
    }),
  )

  it(
    'end when the owner changes the link, also those that wait on another node; and by a change of nothing',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, { maxFileSize: 99 }, owner)
      const other = createLinkRefusals({ ...world, notifier: { landed: () => {} } })
      await refused(world, opaqueId)
      assert.deepEqual(await counted(world, opaqueId), { too_large: 1 })
      await refused(world, opaqueId)
      other.note({ opaqueId, accountId: owner }, 'too_large')
      world.clock.advance(1)
      const changed = notRefused(await world.rules.links.change(owner, opaqueId, { maxFileSize: 98 }))
      assert.equal(changed.refusals, undefined)
      world.clock.advance(3600)
      await other.tend(never)
      assert.deepEqual(await counted(world, opaqueId), {})
      await refused(world, opaqueId)
      assert.deepEqual(await counted(world, opaqueId), { too_large: 1 })
      await world.rules.links.revoke(owner, opaqueId)
      assert.ok(isRefusal(await world.rules.links.change(owner, opaqueId, { maxFileSize: 97 })))
      notRefused(await world.rules.links.change(owner, opaqueId, {}))
      assert.deepEqual(await counted(world, opaqueId), {})
    }),
  )

  it(
    'are written and dismissed as usual after a clock was set back',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, { maxFileSize: 99 }, owner)
      await refused(world, opaqueId)
      assert.deepEqual(await counted(world, opaqueId), { too_large: 1 })
      await refused(world, opaqueId)
      world.clock.advance(-86_400)
      assert.deepEqual(await counted(world, opaqueId), { too_large: 2 }, 'which waited, and whose hour has not begun')
      world.clock.advance(2 * 86_400)
      notRefused(await world.rules.links.change(owner, opaqueId, {}))
      world.clock.advance(-86_400)
      await refused(world, opaqueId)
      assert.deepEqual(await counted(world, opaqueId), { too_large: 1 })
    }),
  )

  it(
    'of links that wait for the end of their hour keep none of others from being counted',
    inWorld(async (world) => {
      const [hostile, owner] = [await newAccount(world), await newAccount(world)]
      const counts = createLinkRefusals({ ...world, notifier: { landed: () => {} } }, 2)
      const tend = async () => {
        world.clock.advance(6)
        await counts.tend(never)
      }
      const many = [await newLink(world, {}, hostile), await newLink(world, {}, hostile)]
      for (const opaqueId of [...many, ...many]) {
        counts.note({ opaqueId, accountId: hostile }, 'revoked')
        await tend()
      }
      const opaqueId = await newLink(world, {}, owner)
      counts.note({ opaqueId, accountId: owner }, 'too_large')
      await tend()
      assert.deepEqual({ ...(await listed(world, opaqueId))?.counts }, { too_large: 1 })
    }),
  )

  it(
    'of one account’s many links keep none of others from being counted, also before they are written',
    inWorld(async (world) => {
      const [hostile, owner] = [await newAccount(world), await newAccount(world)]
      const counts = createLinkRefusals({ ...world, notifier: { landed: () => {} } }, 10)
      for (let at = 0; at < 10; at += 1) counts.note({ opaqueId: newOpaqueId(), accountId: hostile }, 'revoked')
      const opaqueId = await newLink(world, {}, owner)
      counts.note({ opaqueId, accountId: owner }, 'too_large')
      world.clock.advance(6)
      await counts.tend(never)
      assert.deepEqual({ ...(await listed(world, opaqueId))?.counts }, { too_large: 1 })
    }),
  )

  it(
    'of a link that has left the list write nothing, however long guests visit it',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, { maxFileSize: 99 }, owner)
      await world.rules.links.revoke(owner, opaqueId)
      const at = world.clock.now()
      assert.equal(await world.store.write([accountLock(owner)], (tx) => tx.links.bury(owner, at, 1)), 1)
      let writes = 0
      const write: World['store']['write'] = (locks, work) => {
        writes += 1
        return world.store.write(locks, work)
      }
      const counts = createLinkRefusals({ ...world, store: { ...world.store, write }, notifier: { landed: () => {} } })
      for (let visit = 0; visit < 3; visit += 1) {
        counts.note({ opaqueId, accountId: owner }, 'revoked')
        world.clock.advance(6)
        await counts.tend(never)
      }
      assert.equal(writes, 0)
      assert.equal(defined(await world.store.read((tx) => tx.links.find(opaqueId))).refusals, undefined)
    }),
  )

  it(
    'are not written after their account was deleted',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, { maxFileSize: 99 }, owner)
      await refused(world, opaqueId)
      const account = defined(await world.store.read((tx) => tx.accounts.find(owner)))
      const deletion = { accountId: owner, signInKeyHash: defined(account.signInKeyHash), at: world.clock.now() }
      assert.ok(await world.store.write([accountLock(owner)], (tx) => tx.accountDeletions.begin(deletion)))
      world.clock.advance(6)
      await world.rules.linkRefusals.tend(never)
      assert.equal(defined(await world.store.read((tx) => tx.links.find(opaqueId))).refusals, undefined)
    }),
  )

  it(
    'of an ended link are one message to its owner until the owner dismisses them, however long guests visit it',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, { maxFileSize: 99, expiresAt: addSeconds(world.clock.now(), 60) }, owner)
      await refused(world, opaqueId)
      assert.deepEqual(await counted(world, opaqueId), { too_large: 1 })
      for (let hour = 1; hour <= 48; hour += 1) {
        world.clock.advance(3600)
        await refused(world, opaqueId)
        assert.deepEqual(await counted(world, opaqueId), { too_large: 1, expired: hour })
      }
      assert.equal(await heard(world, opaqueId), 2, 'too large, expired')
      notRefused(await world.rules.links.change(owner, opaqueId, {}))
      for (let hour = 1; hour <= 2; hour += 1) {
        world.clock.advance(3600)
        await refused(world, opaqueId)
        await counted(world, opaqueId)
      }
      assert.equal(await heard(world, opaqueId), 3)
    }),
  )

  it(
    'of other links are written although the row of one cannot be read, which is tried again each minute',
    inWorld(
      async (world) => {
        const links = [await newLink(world, { maxFileSize: 99 }), await newLink(world, { maxFileSize: 99 })] as const
        const [damaged, intact] = links
        for (const opaqueId of links) await refused(world, opaqueId)
        const database = new DatabaseSync(defined(world.databasePath))
        const damage = database.prepare('update links set refusals = ? where opaque_id = ?')
        damage.run('{', damaged)
        world.clock.advance(6)
        await assert.rejects(world.rules.linkRefusals.tend(never), SyntaxError)
        assert.deepEqual(await counted(world, intact, 0), { too_large: 1 })
        world.clock.advance(59)
        await world.rules.linkRefusals.tend(never)
        damage.run(null, damaged)
        database.close()
        assert.deepEqual(await counted(world, damaged, 2), { too_large: 1 })
      },
      { isOnDisk: true },
    ),
  )

  it(
    'are written by one of several nodes, and wait on the others',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const opaqueId = await newLink(world, {}, owner)
      const nodes = [0, 1, 2].map(() => createLinkRefusals({ ...world, notifier: { landed: () => {} } }))
      for (const node of nodes) node.note({ opaqueId, accountId: owner }, 'too_large')
      world.clock.advance(6)
      await Promise.all(nodes.map((node) => node.tend(never)))
      assert.deepEqual(await counted(world, opaqueId), { too_large: 1 })
      world.clock.advance(3600)
      await nodes[1]?.tend(never)
      await nodes[2]?.tend(never)
      assert.deepEqual(await counted(world, opaqueId), { too_large: 2 })
    }),
  )
})
