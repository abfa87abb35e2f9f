import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AccountId, type OpaqueId, parseAccountId, parseDropId, parseUploadId } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { createFaults } from '../../testing/faults.ts'
import { bytes, creation, land, newLink, notRefused } from '../../testing/guest.ts'
import { defined, inWorld, newAccount, newOpaqueId, type World } from '../../testing/world.ts'
import { takeFirstWithRoom } from '../ground/firstWithRoom.ts'
import { isRefusal } from '../ground/refusals.ts'
import { createInboxRoom } from './inboxRoom.ts'
import { createOpenedSessions } from './openedSessions.ts'

const content = bytes(100)
const PLACES = 10_000
const { hasPlace } = createInboxRoom({ inboxFilesMax: PLACES })

async function create(world: World, opaqueId: OpaqueId, source?: string, size = 100): Promise<string> {
  const answer = await world.rules.drops.create(creation(opaqueId, content, { source, declaration: { size } }))
  return isRefusal(answer) ? answer.refused : 'created'
}

/** As many drops of a link as a guest could have landed. */
async function fill(world: World, opaqueId: OpaqueId, count: number): Promise<void> {
  const uploadId = await land(world, opaqueId, content)
  const { accountId } = defined(await world.store.read((tx) => tx.links.find(opaqueId)))
  const drop = defined((await world.rules.inbox.list(accountId)).find((each) => each.uploadId === uploadId))
  await world.store.write([], async (tx) => {
    for (let at = 1; at < count; at += 1) {
      const id = `${String(at).padStart(8, '0')}${uploadId.slice(8)}`
      await tx.drops.insert({ ...drop, dropId: defined(parseDropId(id)), uploadId: defined(parseUploadId(id)) })
    }
  })
}

const standing = (world: World, accountId: AccountId) => world.rules.notices.standing(accountId)

describe('the places of an inbox', () => {
  it('keep for each open link its part of one half, whatever greedy links take, and are never more than there are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.array(fc.nat(), { maxLength: 8 }), (links, greedy) => {
        const open = Array.from({ length: links }, () => ({ opaqueId: newOpaqueId(), held: 0 }))
        let used = 0
        const send = (at: number, most: number) => {
          const link = defined(open[at % links])
          let sent = 0
          while (sent < most) {
            link.held += 1
            if (!hasPlace(used, link.opaqueId, open)) {
              link.held -= 1
              return sent
            }
            used += 1
            sent += 1
          }
          return sent
        }
        for (const at of greedy) send(at, PLACES)
        const part = Math.floor(PLACES / 2 / links)
        for (const [at, link] of open.entries()) if (link.held === 0) assert.equal(send(at, part), part)
        assert.ok(used <= PLACES)
      }),
      { numRuns: 20 },
    )
  })

  it('are all there for the only link: 10,000 photographs of one guest', () => {
    const opaqueId = newOpaqueId()
    assert.ok(hasPlace(PLACES - 1, opaqueId, [{ opaqueId, held: PLACES }]))
    assert.ok(!hasPlace(PLACES, opaqueId, [{ opaqueId, held: PLACES + 1 }]))
  })

  it(
    'are not used up by the guests of one link: those of another one still send',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const [flooded, other] = [await newLink(world, {}, owner), await newLink(world, {}, owner)]
      await fill(world, flooded, 7500)
      assert.equal(await create(world, flooded), 'inbox_full')
      assert.equal(await create(world, other), 'created')
      await land(world, other, content)
    }),
  )

  it(
    'are as many as the operator says, and a guest who would find none reads so before sending',
    inWorld(
      async (world) => {
        const owner = await newAccount(world)
        const [greedy, other] = [await newLink(world, {}, owner), await newLink(world, {}, owner)]
        const shown = async (opaqueId: OpaqueId) =>
          notRefused(await world.rules.links.asGuestSees(opaqueId)).isInboxFull
        for (const [opaqueId, places] of [
          [greedy, 5],
          [other, 1],
        ] as const) {
          for (let count = 0; count < places; count += 1) {
            assert.equal(await shown(opaqueId), false, `place ${count + 1} of ${places}`)
            await land(world, opaqueId, content)
          }
          assert.equal(await shown(opaqueId), true)
          assert.equal(await create(world, opaqueId), 'inbox_full')
        }
        assert.deepEqual(await standing(world, owner), {
          waiting: 6,
          room: 6,
          refusals: (await standing(world, owner)).refusals,
        })
      },
      { settings: { inboxFilesMax: 6 } },
    ),
  )

  it('are watched: the owner hears once an hour from 8,000 on, and that guests were refused, why and how often', () => {
    const faults = createFaults()
    return inWorld(
      async (world) => {
        const owner = await newAccount(world)
        // What could not be written does not use up the hour.
        faults.arm('storeWrite')
        await assert.rejects(world.rules.notices.nearlyFull(owner), StorageUnavailable)
        await assert.rejects(world.rules.notices.refused(owner, 'inbox_full'), StorageUnavailable)
        faults.disarm()
        const opaqueId = await newLink(world, {}, owner)
        const heard = async () => {
          const events = await world.store.read((tx) =>
            tx.changes.eventsAfter({ accountId: owner, changeSeq: 0, max: 1000 }),
          )
          return ['inbox.nearly_full', 'drop.refused'].map(
            (name) => events.filter(({ change }) => change.name === name).length,
          )
        }
        await fill(world, opaqueId, 7998)
        assert.equal(await create(world, opaqueId), 'created')
        assert.deepEqual(await heard(), [0, 0])
        for (let count = 0; count < 3; count += 1) assert.equal(await create(world, opaqueId), 'created')
        assert.deepEqual(await heard(), [1, 0])
        assert.equal((await standing(world, owner)).refusals, undefined)
        await fill(world, opaqueId, 1998)
        for (let count = 0; count < 5; count += 1) assert.equal(await create(world, opaqueId), 'inbox_full')
        assert.deepEqual(await heard(), [1, 1])
        const { waiting, refusals } = await standing(world, owner)
        const at = world.clock.now()
        assert.deepEqual([waiting, refusals], [9996, { why: 'inbox_full', count: 5, firstAt: at, lastAt: at }])
        world.clock.advance(3601)
        assert.equal(await create(world, opaqueId), 'inbox_full')
        assert.deepEqual(await heard(), [1, 2])
        assert.equal((await standing(world, owner)).refusals?.count, 1)
        world.clock.advance(8 * 86_400)
        assert.equal((await standing(world, owner)).refusals, undefined)
      },
      { around: faults.around },
    )()
  })

  it(
    'are not filled by one network within an hour, also if all of its files land',
    inWorld(async ({ limiter, clock }) => {
      const settings = { linkSessionsPerWindow: 600, sourceSessionsPerWindow: 6000 }
      const opened = createOpenedSessions({ limiter, serverSecret: bytes(32) }, settings)
      const owners = [
        { accountId: defined(parseAccountId(randomUUID())) },
        { accountId: defined(parseAccountId(randomUUID())) },
      ] as const
      const links = [newOpaqueId(), newOpaqueId()]
      const land = async (at: number, source: string, [owner] = owners) => {
        const guest = { opaqueId: defined(links[at % links.length]), source }
        const counted = await takeFirstWithRoom(limiter, opened.limitsOf(guest, owner))
        if ('retryAfterSeconds' in counted) return counted.retryAfterSeconds
        const opener = opened.openerOf(guest, counted)
        await opened.landed({ ...guest, opener })
        return 'landed'
      }
      // All addresses of an IPv6 /48 are one network.
      for (let at = 0; at < 5000; at += 1) assert.equal(await land(at, `2001:db8:1:${at.toString(16)}::/64`), 'landed')
      assert.equal(await land(0, '2001:db8:1:ffff::/64'), 3600)
      assert.equal(await land(0, '2001:db8:2:0::/64'), 'landed')
      assert.equal(await land(0, '2001:db8:1:0::/64', [owners[1], owners[0]]), 'landed')
      clock.advance(3600)
      assert.equal(await land(0, '2001:db8:1:0::/64'), 'landed')
    }),
  )
})
