import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { createFaults } from '../../testing/faults.ts'
import { findingsIn } from '../../testing/fsck.ts'
import {
  accountRow,
  append,
  bytes,
  creation,
  land,
  linkRow,
  newLink,
  notRefused,
  openDrop,
  ownerOf,
  provision,
  uploadRow,
} from '../../testing/guest.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { BOUNDS } from '../ground/bounds.ts'

const TAKEN = { refused: 'opaque_id_taken' }

describe('provisioning a link', () => {
  it(
    'answers an exact repeat by the same account as the first time, also when the link has expired',
    inWorld(async (world) => {
      const { links } = world.rules
      const owner = await newAccount(world)
      const request = provision({
        expiresAt: addSeconds(world.clock.now(), 60),
        maxTotalBytes: 0,
        sealedLabel: bytes(9),
      })
      for (let round = 0; round < 3; round += 1) assert.equal(await links.provision(owner, request), request.opaqueId)
      world.clock.advance(61)
      assert.equal(await links.provision(owner, request), request.opaqueId)
      assert.equal((await links.list(owner)).length, 1)
    }),
  )

  it(
    'refuses a taken id with any other value or account, and does not change the link',
    inWorld(async (world) => {
      const { links } = world.rules
      const owner = await newAccount(world)
      const request = provision({ passphraseVerifier: bytes(32), maxFileCount: 2 })
      await links.provision(owner, request)
      const before = await linkRow(world, request.opaqueId)
      const others = [
        { dropPublicKey: bytes(32) },
        { expiresAt: addSeconds(world.clock.now(), 60) },
        { maxTotalBytes: 1 },
        { maxFileCount: 3 },
        { maxFileCount: undefined },
        { maxFileSize: 1 },
        { singleUse: true },
        { passphraseVerifier: bytes(32) },
        { passphraseVerifier: undefined },
        { sealedLabel: bytes(1) },
        { sealedTitle: bytes(1) },
      ]
      for (const other of others) assert.deepEqual(await links.provision(owner, { ...request, ...other }), TAKEN)
      assert.deepEqual(await links.provision(await newAccount(world), request), TAKEN)
      assert.deepEqual(await linkRow(world, request.opaqueId), before)
    }),
  )

  it(
    'never revives a revoked or spent link',
    inWorld(async (world) => {
      const { links } = world.rules
      const owner = await newAccount(world)
      const [revoked, spent] = [provision(), provision({ singleUse: true })]
      await newLinkOf(world, owner, revoked)
      await links.revoke(owner, revoked.opaqueId)
      await newLinkOf(world, owner, spent)
      await land(world, spent.opaqueId, bytes(3))
      for (const request of [revoked, spent]) assert.deepEqual(await links.provision(owner, request), TAKEN)
    }),
  )

  it(
    'stops at a thousand live links, and continues when one is revoked',
    inWorld(async (world) => {
      const { links } = world.rules
      const owner = await newAccount(world)
      const requests = Array.from({ length: BOUNDS['live links'] + 20 }, () => provision())
      const answers = await Promise.all(requests.map((request) => links.provision(owner, request)))
      assert.equal(answers.filter((answer) => typeof answer === 'string').length, BOUNDS['live links'])
      const [first] = requests
      await links.revoke(owner, defined(first).opaqueId)
      notRefused(await links.provision(owner, provision()))
      assert.deepEqual(await links.provision(owner, provision()), { refused: 'links_exhausted' })
    }),
  )
})

describe('links that are made and revoked again and again', () => {
  it(
    'leave the list when they are too many, keep their ids, and stay while files wait that came through them',
    inWorld(async (world) => {
      const { links } = world.rules
      const owner = await newAccount(world)
      const waiting = provision()
      await newLinkOf(world, owner, waiting)
      await land(world, waiting.opaqueId, bytes(5))
      await links.revoke(owner, waiting.opaqueId)
      const bound = BOUNDS['links, ended ones included']
      const made = Array.from({ length: bound + 20 }, () => provision({ sealedLabel: bytes(40) }))
      // All but the last in one transaction, which is much faster than a request for each.
      await world.store.write([], async (tx) => {
        for (const { passphraseVerifier: _none, ...request } of made.slice(0, -1)) {
          const facts = { accountId: owner, protocolVersion: world.settings.window.max, verifierHash: undefined }
          await tx.links.insert({ ...request, ...facts, createdAt: world.clock.now() })
          await tx.links.revoke(request.opaqueId, owner, world.clock.now())
        }
      })
      for (const request of made.slice(-1)) {
        notRefused(await links.provision(owner, request))
        await links.revoke(owner, request.opaqueId)
      }
      const listed = (await links.list(owner)).map(({ opaqueId }) => opaqueId)
      const [first, last] = [defined(made[0]), defined(made.at(-1))]
      assert.equal(listed.length, bound)
      assert.deepEqual(
        [waiting, first, last].map(({ opaqueId }) => listed.includes(opaqueId)),
        [true, false, true],
      )
      for (const account of [owner, await newAccount(world)])
        assert.deepEqual(await links.provision(account, first), TAKEN)
      assert.deepEqual(await links.asGuestSees(first.opaqueId), { refused: 'link_not_live' })
      const { sealedLabel, dropPublicKey, verifierHash } = await linkRow(world, first.opaqueId)
      assert.deepEqual([sealedLabel, dropPublicKey.length, verifierHash], [undefined, 0, undefined])
    }),
  )
})

describe('changing the terms of a link', () => {
  const USED = { refused: 'cap_below_use' }
  const reasonOf = (answer: unknown) => ({ refused: Object(answer).refused })

  it(
    'sets what is given, removes what is undefined, leaves the rest, and answers the link as it is then',
    inWorld(async (world) => {
      const { links } = world.rules
      const opaqueId = await newLink(world, { maxFileCount: 2, maxTotalBytes: 100, sealedLabel: bytes(9) })
      const owner = await ownerOf(world, opaqueId)
      await land(world, opaqueId, bytes(10))
      const before = await linkRow(world, opaqueId)
      const given = {
        maxFileCount: 5,
        maxTotalBytes: undefined,
        expiresAt: addSeconds(world.clock.now(), 60),
        sealedTitle: bytes(7),
      }
      const changed = notRefused(await links.change(owner, opaqueId, given))
      const after = { ...before, ...given }
      assert.deepEqual(changed, { ...after, pending: 1, state: 'live' })
      assert.deepEqual(await linkRow(world, opaqueId), after)
      assert.deepEqual(notRefused(await links.change(owner, opaqueId, {})), changed)
    }),
  )

  it(
    'takes a cap of exactly what has landed and is on its way, and none below',
    inWorld(async (world) => {
      const { links } = world.rules
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      await land(world, opaqueId, bytes(10))
      const uploadId = await openDrop(world, opaqueId, bytes(20))
      for (const below of [{ maxFileCount: 1 }, { maxTotalBytes: 29 }])
        assert.deepEqual(reasonOf(await links.change(owner, opaqueId, below)), USED)
      notRefused(await links.change(owner, opaqueId, { maxFileCount: 2, maxTotalBytes: 30, maxFileSize: 1 }))
      assert.deepEqual(await findingsIn(world.store, { filled: { world, locations: new Map() } }), [])
      const row = await linkRow(world, opaqueId)
      assert.deepEqual([row.maxFileCount, row.maxTotalBytes, row.openSessions], [2, 30, 1])
      assert.deepEqual(reasonOf(await world.rules.drops.create(creation(opaqueId, bytes(1)))), {
        refused: 'caps_exhausted',
      })
      await world.rules.ending.cancel(await uploadRow(world, uploadId))
      notRefused(await links.change(owner, opaqueId, { maxFileCount: 1 }))
    }),
  )

  it(
    'lets an upload land that was open before, also when the link expires',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const content = bytes(10)
      const uploadId = await openDrop(world, opaqueId, content)
      const now = world.clock.now()
      const changed = await world.rules.links.change(await ownerOf(world, opaqueId), opaqueId, {
        expiresAt: addSeconds(now, 1),
        maxFileSize: 1,
      })
      assert.equal(notRefused(changed).state, 'live')
      world.clock.advance(1)
      assert.deepEqual(await world.rules.links.asGuestSees(opaqueId), { refused: 'link_not_live' })
      notRefused(await append(world, uploadId, { offset: 0, bytes: content }))
      assert.equal((await linkRow(world, opaqueId)).landedFiles, 1)
    }),
  )

  it(
    'lets an expired link take files again, unless the account has a thousand live ones',
    inWorld(async (world) => {
      const { links } = world.rules
      const owner = await newAccount(world)
      const now = world.clock.now()
      const opaqueId = await newLink(world, { expiresAt: addSeconds(now, 1) }, owner)
      world.clock.advance(1)
      const later = { expiresAt: addSeconds(now, 60) }
      assert.equal(notRefused(await links.change(owner, opaqueId, later)).state, 'live')
      notRefused(await links.change(owner, opaqueId, { expiresAt: addSeconds(now, 2) }))
      world.clock.advance(1)
      await Promise.all(Array.from({ length: BOUNDS['live links'] }, () => links.provision(owner, provision())))
      assert.deepEqual(await links.change(owner, opaqueId, later), { refused: 'links_exhausted' })
      assert.equal(notRefused(await links.change(owner, opaqueId, { maxFileCount: 1 })).state, 'expired')
    }),
  )

  it(
    'answers the same for a link that is unknown, another’s, revoked or used up, and changes none',
    inWorld(async (world) => {
      const { links } = world.rules
      const owner = await newAccount(world)
      const [revoked, spent] = [await newLink(world, {}, owner), await newLink(world, { singleUse: true }, owner)]
      await links.revoke(owner, revoked)
      await land(world, spent, bytes(3))
      for (const opaqueId of [revoked, spent, await newLink(world), provision().opaqueId])
        assert.deepEqual(await links.change(owner, opaqueId, { maxFileCount: 9 }), { refused: 'link_not_live' })
      assert.deepEqual(
        (await links.list(owner)).map(({ maxFileCount }) => maxFileCount),
        [undefined, undefined],
      )
    }),
  )
})

const newLinkOf = (
  world: World,
  owner: Awaited<ReturnType<typeof newAccount>>,
  request: ReturnType<typeof provision>,
) => newLink(world, request, owner)

describe('the guest’s view of a link', () => {
  it(
    'shows free bytes in steps of one percent, so that no guest can compute another guest’s file size',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxTotalBytes: 1000 })
      const shown: (number | undefined)[] = []
      for (const size of [1, 8, 1, 1, 980, 9]) {
        await openDrop(world, opaqueId, bytes(size))
        shown.push(notRefused(await world.rules.links.asGuestSees(opaqueId)).remainingBytes)
      }
      assert.deepEqual(shown, [990, 990, 990, 980, 0, 0])
    }),
  )

  it(
    'rounds free bytes down, by at most one percent of the cap',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const counts = fc.record({
        cap: fc.integer({ min: 1, max: 100_000 }),
        part: fc.double({ min: 0, max: 1, noNaN: true }),
      })
      await fc.assert(
        fc.asyncProperty(counts, async ({ cap, part }) => {
          const opaqueId = await newLink(world, { maxTotalBytes: cap }, owner)
          const used = Math.floor(cap * part)
          const at = world.clock.now()
          const reserve = { size: Math.max(1, used), at, maxOpenSessions: 64 }
          await world.store.write([], (tx) => tx.links.reserve(opaqueId, reserve))
          const view = notRefused(await world.rules.links.asGuestSees(opaqueId))
          const free = cap - reserve.size
          const shown = defined(view.remainingBytes)
          assert.ok(shown <= free && free - shown <= cap / 100 + 1, `${shown} of ${free}, cap ${cap}`)
        }),
        { numRuns: 100 },
      )
    }),
  )

  it(
    'shows the smaller of the link’s and the server’s file size limit, and none when the link has none',
    inWorld(
      async (world) => {
        const seen = async (maxFileSize: number | undefined) =>
          notRefused(await world.rules.links.asGuestSees(await newLink(world, { maxFileSize }))).maxFileSize
        assert.deepEqual([await seen(5), await seen(5000), await seen(undefined)], [5, 1000, undefined])
      },
      { settings: { blobBytesMax: 1000 } },
    ),
  )
})

describe('revoking a link', () => {
  it(
    'ends its open sessions, gives caps and quota back, and keeps landed drops',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      await land(world, opaqueId, bytes(7))
      const open = await openDrop(world, opaqueId, bytes(100))
      await world.rules.links.revoke(owner, opaqueId)
      assert.equal((await uploadRow(world, open)).state, 'ended')
      const { openSessions, openBytes, landedBytes } = await linkRow(world, opaqueId)
      assert.deepEqual([openSessions, openBytes, landedBytes], [0, 0, 7])
      assert.equal((await accountRow(world, owner)).usedBytes, 7)
      assert.equal((await world.rules.inbox.list(owner)).length, 1)
      assert.ok(world.deletingCalls() > 0)
    }),
  )

  it('ends link and sessions together or not at all, wherever the store fails', async () => {
    for (const after of [0, 1, 2]) {
      for (const isApplied of [false, true]) {
        const faults = createFaults()
        await inWorld(
          async (world) => {
            const opaqueId = await newLink(world)
            const owner = await ownerOf(world, opaqueId)
            const open = await openDrop(world, opaqueId, bytes(100))
            faults.arm('storeWrite', { after, times: 1, isApplied })
            await world.rules.links.revoke(owner, opaqueId).catch(() => undefined)
            faults.disarm()
            const isRevoked = (await linkRow(world, opaqueId)).revokedAt !== undefined
            assert.equal((await uploadRow(world, open)).state, isRevoked ? 'ended' : 'open')
            await world.rules.links.revoke(owner, opaqueId)
            assert.equal((await uploadRow(world, open)).state, 'ended')
            assert.equal((await accountRow(world, owner)).usedBytes, 0)
          },
          { around: faults.around },
        )()
      }
    }
  })
})
