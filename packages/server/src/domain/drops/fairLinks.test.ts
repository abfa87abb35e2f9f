/** One guest cannot lock a link for the others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import {
  append,
  bytes,
  creation,
  inPieces,
  linkRow,
  newLink,
  notRefused,
  openDrop,
  uploadRow,
} from '../../testing/guest.ts'
import { defined, inWorld, sha256, type World } from '../../testing/world.ts'
import { isRefusal } from '../refusals.ts'
import { findDropUpload } from '../uploads/findUpload.ts'

const content = bytes(100)
const YIELD_SECONDS = 10
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
