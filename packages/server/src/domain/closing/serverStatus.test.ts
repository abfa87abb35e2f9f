import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import { channel } from '../../contracts/store/channels.ts'
import { account, accountId, event, hash, session } from '../../contracts/store/world.ts'
import { land, newLink } from '../../testing/guest.ts'
import { beginDeletion, defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { rotateAttestationKey } from '../custody/keys.ts'
import { createQuota } from '../quota/quota.ts'
import { ALARMS, alarmsIn } from './alarms.ts'
import { type AccountLine, readServerStatus } from './serverStatus.ts'

const DAY = 86_400
const GIB = 2 ** 30

function read(world: World, onAccount?: (line: AccountLine) => void, freeBytes: number | undefined = 9 * GIB) {
  const quota = createQuota({ softBytes: 150, hardBytes: 200, graceDays: 14 })
  return readServerStatus({ ...world, quota }, { unready: [], freeBytes, floorBytes: GIB }, onAccount)
}

describe('the status of a server', () => {
  it(
    'counts accounts, links, files and bytes, and what came in a day and a week and is still kept',
    inWorld(async (world) => {
      const [one, two, gone] = [await newAccount(world), await newAccount(world), await newAccount(world)]
      await beginDeletion(world, gone)
      const link = await newLink(world, {}, one)
      const send = async (bytes: number) => land(world, link, new Uint8Array(bytes))
      await send(100)
      world.clock.advance(2 * DAY)
      await send(30)
      await send(20)
      world.clock.advance(6 * DAY)
      await send(7)
      const { rows } = await world.store.read((tx) => tx.drops.page(one, { max: 9 }))
      await world.rules.inbox.discard(one, defined(rows[2]).dropId)
      await world.store.write([], (tx) => tx.accounts.setSuspended(two, world.clock.now()))
      const createdAt = addSeconds(world.clock.now(), -60)
      await world.store.write([], (tx) => tx.sessions.insert(session(1, { accountId: one, createdAt })))
      const lines: AccountLine[] = []
      const status = await read(world, (line) => void lines.push(line))
      assert.deepEqual(status.arrived, { day: { objects: 1, bytes: 7 }, week: { objects: 2, bytes: 37 } })
      assert.deepEqual(status.accounts, {
        count: 2,
        suspended: 1,
        byQuota: { ok: 1, soft_warning: 1, hard_exceeded: 0, grace_expired: 0 },
        usedBytes: 157,
        pendingDrops: 3,
        liveLinks: 1,
        firstAt: addSeconds(world.clock.now(), -8 * DAY),
        lastSignInAt: createdAt,
      })
      assert.equal(status.albumFiles, 0)
      assert.deepEqual(new Set(lines.map((line) => line.accountId)), new Set([one, two]))
    }),
  )

  it(
    'reads every account of a long list',
    inWorld(async (world) => {
      await world.store.write([], async (tx) => {
        for (let number = 1; number <= 250; number += 1) await tx.accounts.insert(account(number))
      })
      assert.equal((await read(world)).accounts.count, 250)
    }),
  )
})

describe('the alarms of a server', () => {
  it(
    'are none on a server without files',
    inWorld(async (world) => assert.deepEqual(alarmsIn(await read(world)), [])),
  )

  it(
    'say what is damaged, unreadable, suspected, held, full, failing, behind, low, away, overdue or announced to end',
    inWorld(async (world) => {
      const { store, clock } = world
      const owner = await newAccount(world)
      clock.advance(2 * DAY)
      assert.deepEqual(alarmsIn(await read(world)), [])
      clock.advance(62)
      const link = await newLink(world, {}, owner)
      for (const bytes of [150, 20, 15, 15]) await land(world, link, new Uint8Array(bytes))
      const { rows } = await store.read((tx) => tx.drops.page(owner, { max: 9 }))
      const [damaged, unreadable, suspected] = [defined(rows[0]), defined(rows[1]), defined(rows[2])]
      const at = clock.now()
      await store.write([], async (tx) => {
        await tx.objects.markDamaged(damaged.location, at)
        for (const { location } of [unreadable, suspected]) await tx.objects.suspect(location, at)
        await tx.objects.noteUnread(unreadable.location, addSeconds(at, 1))
        await tx.holds.add({ ciphertextHash: hash(1), reason: 'an order', createdAt: at })
        await tx.accounts.insert(account(1))
        await tx.accounts.setSuspended(accountId(1), at)
        await tx.channels.insert(channel(1, { accountId: owner, createdAt: at }))
        await tx.changes.insertNextEvents([event(1, { accountId: owner })])
        const { channelId, notifiedSeq: after, changeSeq: upTo } = defined((await tx.channels.newsOf([owner]))[0])
        const claim = { claimId: 'one', after, upTo, at, until: addSeconds(at, 60) }
        await tx.channels.claim(channelId, claim)
        await tx.channels.fail(channelId, { ...claim, fault: 'timed_out', state: 'given_up', dueAt: at })
        await tx.deprecations.append({
          minProtocolVersion: world.settings.window.max,
          announcedAt: at,
          cutoff: addSeconds(at, 90 * DAY),
          detailUrl: undefined,
        })
      })
      clock.set(addSeconds(at, -61))
      const kindsAt = async (freeBytes: number | undefined) =>
        alarmsIn(await read(world, undefined, freeBytes)).map(({ kind }) => kind)
      const all = Object.keys(ALARMS).filter((kind) => !['quota_near', 'not_ready'].includes(kind))
      assert.deepEqual(
        await kindsAt(GIB),
        all.filter((kind) => kind !== 'bytes_away'),
      )
      const away = alarmsIn({ ...(await read(world)), freeBytes: undefined, unready: ['blobs'] }).map(
        ({ kind }) => kind,
      )
      assert.deepEqual(away, ['not_ready', ...all.filter((kind) => kind !== 'disk_below_floor')])
      clock.set(at)
      await store.write([], (tx) => tx.server.setFact('backed_up_at', Buffer.from(String(at))))
      assert.ok(!(await kindsAt(9 * GIB)).some((kind) => ['backup_overdue', 'clock_behind'].includes(kind)))
    }),
  )

  it(
    'say that a backup is overdue when the last one lacks the key that signs receipts',
    inWorld(async (world) => {
      const backUp = (at: number) =>
        world.store.write([], (tx) => tx.server.setFact('backed_up_at', Buffer.from(String(at))))
      await backUp(world.clock.now())
      world.clock.advance(1)
      await rotateAttestationKey(world)
      assert.deepEqual(alarmsIn(await read(world)), [], 'without accounts no client has seen a key')
      await newAccount(world)
      const [alarm, ...others] = alarmsIn(await read(world))
      assert.deepEqual([alarm?.kind, others], ['backup_overdue', []])
      assert.match(alarm?.what ?? '', /, before the key that signs receipts now: /)
      await backUp(world.clock.now())
      assert.deepEqual(alarmsIn(await read(world)), [])
    }),
  )
})
