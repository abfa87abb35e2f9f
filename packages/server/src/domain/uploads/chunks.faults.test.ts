import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { SyncFailed } from '../../ports/blobs.ts'
import { createFaults } from '../../testing/faults.ts'
import {
  accountRow,
  append,
  bytes,
  linkRow,
  newLink,
  openDrop,
  ownerOf,
  readObject,
  uploadRow,
} from '../../testing/guest.ts'
import { inWorld, known, type World } from '../../testing/world.ts'

const content = bytes(100)
const part = (from: number, to: number) => ({ offset: from, bytes: content.subarray(from, to) })

interface Session {
  readonly opaqueId: OpaqueId
  readonly uploadId: UploadId
}

/** A session of `content`, of which the first thirty bytes have come. */
async function begun(world: World): Promise<Session> {
  const opaqueId = await newLink(world)
  const uploadId = await openDrop(world, opaqueId, content)
  assert.deepEqual(await append(world, uploadId, part(0, 30)), { offset: 30 })
  return { opaqueId, uploadId }
}

const inboxOf = async (world: World, opaqueId: OpaqueId) => world.rules.inbox.list(await ownerOf(world, opaqueId))

/** The bytes of the one drop that came through a link. */
async function landedBytes(world: World, opaqueId: OpaqueId): Promise<Uint8Array> {
  const drops = await inboxOf(world, opaqueId)
  assert.equal(drops.length, 1)
  return readObject(world, known(drops[0]))
}

describe('when the storage fails', () => {
  const failing = (work: (world: World, faults: ReturnType<typeof createFaults>) => Promise<void>) => async () => {
    const faults = createFaults()
    await inWorld((world) => work(world, faults), { around: faults.around })()
  }

  for (const isApplied of [false, true]) {
    const name = isApplied ? 'was written down although that was reported as failed' : 'could not be written down'
    it(
      `a chunk that ${name} is sent again, and the whole still hashes right`,
      failing(async (world, faults) => {
        const { opaqueId, uploadId } = await begun(world)
        for (const [from, to] of [
          [30, 50],
          [50, 100],
        ] as const) {
          faults.arm('storeWrite', { times: 1, isApplied })
          await assert.rejects(append(world, uploadId, part(from, to)))
          faults.disarm()
          assert.deepEqual(await append(world, uploadId, part(from, to)), { offset: to })
        }
        assert.deepEqual(await landedBytes(world, opaqueId), Buffer.from(content))
      }),
    )
  }

  it(
    'a full disk is told, and the chunk is taken later',
    failing(async (world, faults) => {
      const { uploadId } = await begun(world)
      for (const call of ['blobWrite', 'settle'] as const) {
        faults.arm(call, { times: 1 })
        assert.deepEqual(await append(world, uploadId, part(30, 100)), { refused: 'storage_unavailable' })
      }
      assert.deepEqual(await append(world, uploadId, part(30, 100)), { offset: 100 })
    }),
  )

  for (const call of ['blobWrite', 'settle'] as const) {
    it(
      `a failed sync, met at ${call}, fails the session, as nobody knows what the disk holds`,
      failing(async (world, faults) => {
        const { opaqueId, uploadId } = await begun(world)
        faults.arm(call, { error: new SyncFailed('a sync failed') })
        assert.deepEqual(await append(world, uploadId, part(30, 100)), { refused: 'storage_unavailable' })
        assert.equal((await uploadRow(world, uploadId)).state, 'failed')
        assert.deepEqual(await append(world, uploadId, part(30, 100)), { refused: 'upload_closed', offset: 30 })
        const { openBytes, accountId } = await linkRow(world, opaqueId)
        assert.deepEqual([openBytes, (await accountRow(world, accountId)).usedBytes], [0, 0])
      }),
    )
  }

  for (const [name, change] of [
    ['was cut', (file: string) => truncate(file, 10)],
    ['is gone', (file: string) => rm(file)],
  ] as const) {
    it(
      `a session whose file ${name} behind its back is sent again, and never lands with a hole`,
      failing(async (world, faults) => {
        const { opaqueId, uploadId } = await begun(world)
        const { location } = await uploadRow(world, uploadId)
        // Between the last byte and the settling.
        faults.arm('settle', { times: 1, error: new Error('the object holds fewer bytes') })
        await assert.rejects(append(world, uploadId, part(30, 100)))
        await change(join(world.blobsDirectory, location))
        assert.deepEqual(await append(world, uploadId, part(30, 100)), { refused: 'chunk_misplaced', offset: 0 })
        assert.deepEqual(await append(world, uploadId, part(0, 100)), { offset: 100 })
        if (name === 'was cut') assert.deepEqual(await landedBytes(world, opaqueId), Buffer.from(content))
      }),
    )
  }
})

describe('chunk chaos', () => {
  it(
    'whatever comes twice, out of order, with gaps or wrong bytes: what is acknowledged is kept, and the rest lands',
    inWorld(async (world) => {
      const owner = await ownerOf(world, await newLink(world))
      const step = fc.record({
        kind: fc.constantFrom('next', 'next', 'next', 'again', 'gap', 'wrong bytes', 'restart'),
        length: fc.integer({ min: 1, max: 40 }),
        at: fc.nat(99),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const opaqueId = await newLink(world, {}, owner)
          const uploadId = await openDrop(world, opaqueId, content)
          const sent = new Map<number, number>()
          let held = 0
          let rules = world.rules
          for (const { kind, length, at } of steps) {
            if (held === 100) break
            const end = Math.min(100, held + length)
            if (kind === 'restart') rules = world.restarted()
            else if (kind === 'next') {
              assert.deepEqual(await append({ rules }, uploadId, part(held, end)), { offset: end })
              sent.set(held, end)
              held = end
            } else if (kind === 'again') {
              for (const [from, to] of sent)
                assert.deepEqual(await append({ rules }, uploadId, part(from, to)), { offset: to })
            } else {
              const offset = kind === 'gap' ? at : held
              const answer = await append({ rules }, uploadId, {
                offset,
                bytes: kind === 'gap' ? bytes(3) : bytes(101),
              })
              const isNext = offset === held
              if (!isNext)
                assert.deepEqual(answer, {
                  refused: sent.has(offset) ? 'chunk_conflict' : 'chunk_misplaced',
                  offset: held,
                })
              else if (kind === 'wrong bytes') assert.deepEqual(answer, { refused: 'chunk_past_size', offset: held })
              else return
            }
            assert.equal((await uploadRow(world, uploadId)).receivedBytes, held)
          }
          if (held < 100) assert.deepEqual(await append({ rules }, uploadId, part(held, 100)), { offset: 100 })
          const [drop] = (await world.rules.inbox.list(owner)).slice(-1)
          assert.deepEqual(await readObject(world, known(drop)), Buffer.from(content))
        }),
        { numRuns: 60 },
      )
    }),
  )
})
