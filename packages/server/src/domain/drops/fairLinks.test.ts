/** One guest cannot lock a link for the others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import {
  append,
  bytes,
  creation,
  inPieces,
  land,
  linkRow,
  newLink,
  notRefused,
  openDrop,
  uploadRow,
} from '../../testing/guest.ts'
import { defined, inWorld, newAccount, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../ground/refusals.ts'
import { findDropUpload } from '../uploads/findUpload.ts'

const content = bytes(100)
const YIELD_SECONDS = 10
const DAY_SECONDS = 86_400
const [STRANGER, GUEST] = ['203.0.113.1', '203.0.113.2']

async function create(world: World, opaqueId: OpaqueId, source: string | undefined, size = 100): Promise<string> {
  const answer = await world.rules.drops.create(creation(opaqueId, content, { source, declaration: { size } }))
  return isRefusal(answer) ? String(Object(answer).refused) : 'created'
}

async function createMany(world: World, opaqueId: OpaqueId, source: string | undefined, count: number) {
  const answers: string[] = []
  for (let round = 0; round < count; round += 1) answers.push(await create(world, opaqueId, source))
  return answers
}

const times = (count: number, answer: string) => Array<string>(count).fill(answer)
const isGone = async ({ store }: World, opaqueId: OpaqueId, uploadId: UploadId) =>
  isRefusal(await store.read(findDropUpload({ opaqueId, uploadId })))
const firstByte = (world: World, uploadId: UploadId) =>
  append(world, uploadId, { offset: 0, bytes: content.subarray(0, 1) })

describe('sessions that received nothing', () => {
  it(
    'give way to a new one when the link has 64, the oldest first, after some seconds',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const first = await openDrop(world, opaqueId, content)
      world.clock.advance(1)
      const second = await openDrop(world, opaqueId, content)
      world.clock.advance(YIELD_SECONDS - 1)
      assert.deepEqual(await createMany(world, opaqueId, undefined, 62), times(62, 'created'))
      assert.equal(await create(world, opaqueId, undefined), 'created')
      assert.deepEqual([await isGone(world, opaqueId, first), await isGone(world, opaqueId, second)], [true, false])
      assert.equal(await create(world, opaqueId, undefined), 'caps_exhausted')
      assert.deepEqual(await firstByte(world, first), { refused: 'upload_not_found' })
      const { openSessions, openBytes } = await linkRow(world, opaqueId)
      assert.deepEqual([openSessions, openBytes], [64, 6400])
      assert.equal(world.deletingCalls(), 1)
      world.clock.advance(1)
      assert.equal(await create(world, opaqueId, undefined), 'created')
    }),
  )

  it(
    'keep their place once a byte of theirs was acknowledged, and while a request writes to them',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxFileCount: 2 })
      const [begun, writing] = [await openDrop(world, opaqueId, content), await openDrop(world, opaqueId, content)]
      await firstByte(world, begun)
      const [isHalf, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      async function* held() {
        yield content.subarray(0, 50)
        isHalf.resolve()
        await isHeld.promise
        yield content.subarray(50)
      }
      const request = { offset: 0, checksum: sha256(content), body: held(), signal: new AbortController().signal }
      const found = notRefused(await world.rules.chunks.find(findDropUpload({ opaqueId, uploadId: writing }), 0))
      const answer = world.rules.chunks.append(found, request)
      await isHalf.promise
      world.clock.advance(YIELD_SECONDS)
      assert.equal(await create(world, opaqueId, undefined), 'caps_exhausted')
      isHeld.resolve()
      assert.deepEqual(await answer, { offset: 100 })
    }),
  )

  it(
    'give up the files and bytes that they reserved, as many sessions as needed',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxFileCount: 4, maxTotalBytes: 450 })
      const ids: UploadId[] = []
      for (let round = 0; round < 4; round += 1) ids.push(await openDrop(world, opaqueId, content))
      await firstByte(world, defined(ids[1]))
      world.clock.advance(YIELD_SECONDS)
      // Even without all three empty sessions this file would not fit, so none of them ends.
      assert.equal(await create(world, opaqueId, undefined, 351), 'caps_exhausted')
      assert.equal(await create(world, opaqueId, undefined, 250), 'created')
      const gone = await Promise.all(ids.map((uploadId) => isGone(world, opaqueId, uploadId)))
      assert.deepEqual(gone, [true, false, true, false])
    }),
  )

  it(
    'stay if the new session is refused for another reason',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxFileCount: 1 })
      const uploadId = await openDrop(world, opaqueId, content)
      world.clock.advance(YIELD_SECONDS)
      const faulty = creation(opaqueId, content, { declaration: { contentType: 'text/html' } })
      assert.equal(Object(await world.rules.drops.create(faulty)).refused, 'declaration_malformed')
      assert.equal(await isGone(world, opaqueId, uploadId), false)
      assert.equal(world.deletingCalls(), 0)
    }),
  )
})

describe('one guest', () => {
  it(
    'holds at most 16 open sessions of a link; another guest gets its own',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const answers = await createMany(world, opaqueId, STRANGER, 64)
      assert.deepEqual(answers, [...times(16, 'created'), ...times(48, 'link_limited')])
      assert.deepEqual(await createMany(world, opaqueId, GUEST, 16), times(16, 'created'))
      assert.equal(await create(world, await newLink(world), STRANGER), 'created')
      // Its own oldest empty session gives way.
      world.clock.advance(YIELD_SECONDS)
      assert.equal(await create(world, opaqueId, STRANGER), 'created')
      assert.equal((await linkRow(world, opaqueId)).openSessions, 32)
    }),
  )

  it(
    'is known to every process and after a restart, without its address in any row',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      assert.deepEqual(await createMany(world, opaqueId, STRANGER, 16), times(16, 'created'))
      for (const rules of [world.restarted(), world.rulesOver({ nodeId: 'another' })]) {
        assert.equal(await create({ ...world, rules }, opaqueId, STRANGER), 'link_limited')
        assert.equal(await create({ ...world, rules }, opaqueId, GUEST), 'created')
      }
      const open = await world.store.read((tx) => tx.uploads.openOf(opaqueId))
      const openers = new Set(open.map((upload) => JSON.stringify(Object(upload).opener)))
      assert.equal(openers.size, 2)
      for (const opener of openers) assert.doesNotMatch(opener, /203\.0\.113/)
    }),
  )

  it(
    'counts as one with all networks of an IPv6 /48',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      for (let subnet = 0; subnet < 16; subnet += 1)
        assert.equal(await create(world, opaqueId, `2001:db8:7:${subnet}::/64`), 'created')
      assert.equal(await create(world, opaqueId, '2001:db8:7:ffff::/64'), 'link_limited')
      assert.equal(await create(world, opaqueId, '2001:db8:8:0::/64'), 'created')
    }),
  )

  it(
    'uses up a quarter of a link’s session window by opening and cancelling; another guest’s file lands',
    inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        const answers: string[] = []
        for (let round = 0; round < 40; round += 1) {
          const answer = await world.rules.drops.create(creation(opaqueId, content, { source: STRANGER }))
          answers.push(isRefusal(answer) ? String(Object(answer).refused) : 'created')
          if (!isRefusal(answer)) await world.rules.ending.cancel(await uploadRow(world, notRefused(answer)))
        }
        assert.deepEqual(answers, [...times(10, 'created'), ...times(30, 'link_limited')])
        assert.equal(await create(world, opaqueId, GUEST), 'created')
      },
      { settings: { linkSessionsPerWindow: 40 } },
    ),
  )

  it(
    'finds a session left in the window of a link, after four others have used up a quarter each',
    inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        for (let network = 1; network <= 4; network += 1)
          for (let round = 0; round < 40; round += 1) {
            const source = `192.0.2.${network}`
            const uploadId = notRefused(await world.rules.drops.create(creation(opaqueId, content, { source })))
            await world.rules.ending.cancel(await uploadRow(world, uploadId))
          }
        assert.equal(await create(world, opaqueId, STRANGER), 'created')
        // Its first sessions are counted apart, and are returned when they land, as the others are.
        for (let round = 0; round < 200; round += 1) {
          const request = creation(opaqueId, content, { source: GUEST })
          notRefused(
            await append(world, notRefused(await world.rules.drops.create(request)), { offset: 0, bytes: content }),
          )
        }
        assert.deepEqual(await createMany(world, opaqueId, GUEST, 17), [...times(16, 'created'), 'link_limited'])
      },
      { settings: { linkSessionsPerWindow: 160 } },
    ),
  )
})

describe('a full link', () => {
  const guests = Array.from({ length: 64 }, (_, index) => `203.0.113.${index + 1}`)
  const NEWCOMER = '198.51.100.1'

  /** Opens a session, which receives its first bytes. */
  async function begin(world: World, opaqueId: OpaqueId, source: string | undefined, received = 1): Promise<UploadId> {
    const uploadId = notRefused(await world.rules.drops.create(creation(opaqueId, content, { source })))
    if (received > 0) await append(world, uploadId, { offset: 0, bytes: content.subarray(0, received) })
    return uploadId
  }

  it(
    'takes places from the guests who hold the most, until a new guest holds about as many',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      for (const source of guests.slice(0, 4))
        for (let count = 0; count < 16; count += 1) await begin(world, opaqueId, source)
      assert.deepEqual(await createMany(world, opaqueId, NEWCOMER, 13), [...times(12, 'created'), 'caps_exhausted'])
      assert.equal((await linkRow(world, opaqueId)).openSessions, 64)
      assert.equal(await create(world, opaqueId, guests[4]), 'created')
    }),
  )

  it(
    'takes no place from guests who hold one, or whose source is unknown, and gives none to a guest whose source is unknown',
    inWorld(async (world) => {
      const ofMany = await newLink(world)
      for (const source of guests) await begin(world, ofMany, source)
      assert.equal(await create(world, ofMany, NEWCOMER), 'caps_exhausted')
      const ofUnknown = await newLink(world)
      for (let count = 0; count < 48; count += 1) await begin(world, ofUnknown, undefined)
      for (let count = 0; count < 16; count += 1) await begin(world, ofUnknown, STRANGER)
      assert.equal(await create(world, ofUnknown, undefined), 'caps_exhausted')
      assert.deepEqual(await createMany(world, ofUnknown, NEWCOMER, 9), [...times(8, 'created'), 'caps_exhausted'])
    }),
  )

  it(
    'takes the place of an empty session first, then of the one with the fewest bytes for its age',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const old = await begin(world, opaqueId, STRANGER, 20)
      const slow = await begin(world, opaqueId, STRANGER, 10)
      world.clock.advance(5)
      const young = await begin(world, opaqueId, STRANGER, 9)
      world.clock.advance(5)
      for (let count = 0; count < 12; count += 1) await begin(world, opaqueId, STRANGER, 99)
      const empty = await begin(world, opaqueId, STRANGER, 0)
      for (const source of guests.slice(1, 49)) await begin(world, opaqueId, source)
      const gone: boolean[][] = []
      for (let count = 0; count < 3; count += 1) {
        assert.equal(await create(world, opaqueId, NEWCOMER), 'created')
        gone.push(await Promise.all([empty, slow, young, old].map((uploadId) => isGone(world, opaqueId, uploadId))))
      }
      assert.deepEqual(gone, [
        [true, false, false, false],
        [true, true, false, false],
        [true, true, true, false],
      ])
    }),
  )

  it(
    'takes the place of a session that a request is writing to when its guest has no other, and ends the request',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const idle = await begin(world, opaqueId, STRANGER, 99)
      const isHeld = Promise.withResolvers<void>()
      const writing: UploadId[] = []
      const answers: Promise<object>[] = []
      for (let count = 0; count < 2; count += 1) {
        const uploadId = await begin(world, opaqueId, STRANGER, 0)
        const isHalf = Promise.withResolvers<void>()
        async function* held() {
          yield content.subarray(0, 50)
          isHalf.resolve()
          await isHeld.promise
          yield content.subarray(50)
        }
        const request = { offset: 0, checksum: sha256(content), body: held(), signal: new AbortController().signal }
        const found = notRefused(await world.rules.chunks.find(findDropUpload({ opaqueId, uploadId }), 0))
        answers.push(world.rules.chunks.append(found, request))
        writing.push(uploadId)
        await isHalf.promise
      }
      for (const source of guests.slice(1, 62)) await begin(world, opaqueId, source)
      const gone = () => Promise.all([idle, ...writing].map((uploadId) => isGone(world, opaqueId, uploadId)))
      assert.equal(await create(world, opaqueId, NEWCOMER), 'created')
      assert.deepEqual(await gone(), [true, false, false])
      assert.equal(await create(world, opaqueId, guests[63]), 'created')
      assert.equal((await gone()).filter(Boolean).length, 2)
      isHeld.resolve()
      const landed = (await Promise.all(answers)).filter((answer) => !isRefusal(answer))
      assert.deepEqual(landed, [{ offset: 100 }])
    }),
  )
})

describe('files that have landed', () => {
  for (const source of [undefined, GUEST])
    it(
      `do not count in the session windows of link and source (${source ?? 'unknown source'})`,
      inWorld(
        async (world) => {
          const opaqueId = await newLink(world)
          const request = () => creation(opaqueId, content, { source })
          for (let round = 0; round < 30; round += 1) {
            const uploadId = notRefused(await world.rules.drops.create(request()))
            notRefused(await append(world, uploadId, { offset: 0, bytes: content }))
          }
          const share = source === undefined ? 4 : 1
          assert.deepEqual(await createMany(world, opaqueId, source, share), times(share, 'created'))
          assert.equal(await create(world, opaqueId, source), 'link_limited')
        },
        { settings: { linkSessionsPerWindow: 4, sourceSessionsPerWindow: 3 } },
      ),
    )

  it(
    'count when their bytes are wrong',
    inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        const uploadId = notRefused(await world.rules.drops.create(creation(opaqueId, content, { source: GUEST })))
        const other = bytes(100)
        const body = inPieces(other)
        const found = notRefused(await world.rules.chunks.find(findDropUpload({ opaqueId, uploadId }), 0))
        const signal = new AbortController().signal
        const answer = await world.rules.chunks.append(found, { offset: 0, checksum: sha256(other), body, signal })
        assert.equal(Object(answer).refused, 'content_hash_wrong')
        assert.equal(await create(world, opaqueId, GUEST), 'link_limited')
      },
      { settings: { linkSessionsPerWindow: 4 } },
    ),
  )
})

describe('all guests of an account', () => {
  it(
    'open at most a million sessions a day on all its links, whatever becomes of them',
    inWorld(async (world) => {
      const owner = await newAccount(world)
      const [one, other] = [await newLink(world, {}, owner), await newLink(world, {}, owner)]
      const counted = { rule: 'guest-sessions-of-account', key: owner, max: 1_000_000, windowSeconds: DAY_SECONDS }
      await world.limiter.take([{ ...counted, weight: 999_998 }])
      await land(world, one, content)
      const cancelled = await uploadRow(world, await openDrop(world, other, content))
      assert.equal(await world.rules.ending.cancel(cancelled), undefined)
      for (const source of [undefined, GUEST]) assert.equal(await create(world, other, source), 'link_limited')
      assert.equal(await create(world, await newLink(world), GUEST), 'created')
      world.clock.advance(DAY_SECONDS)
      assert.equal(await create(world, other, GUEST), 'created')
    }),
  )
})
