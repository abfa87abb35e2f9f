import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { SyncFailed } from '../../ground/storageErrors.ts'
import { content, landedBytes, part, startDrop } from '../../testing/chunks.ts'
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
import { defined, inWorld, type World } from '../../testing/world.ts'

describe('when the storage fails', () => {
  const failing = (work: (world: World, faults: ReturnType<typeof createFaults>) => Promise<void>) => async () => {
    const faults = createFaults()
    await inWorld((world) => work(world, faults), { around: faults.around })()
  }

  for (const isApplied of [false, true]) {
    const name = isApplied ? 'was recorded by a write that reported a failure' : 'could not be recorded'
    it(
      `a chunk that ${name} can be sent again, and the file lands intact`,
      failing(async (world, faults) => {
        const { opaqueId, uploadId } = await startDrop(world)
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
    'a full disk refuses the chunk, which is accepted later',
    failing(async (world, faults) => {
      const { uploadId } = await startDrop(world)
      for (const call of ['blobWrite', 'settle'] as const) {
        faults.arm(call, { times: 1 })
        assert.partialDeepStrictEqual(await append(world, uploadId, part(30, 100)), { refused: 'storage_unavailable' })
      }
      assert.deepEqual(await append(world, uploadId, part(30, 100)), { offset: 100 })
    }),
  )

  for (const call of ['blobWrite', 'settle'] as const) {
    it(
      `a failed sync in ${call} fails the session, because the content of the disk is unknown`,
      failing(async (world, faults) => {
        const { opaqueId, uploadId } = await startDrop(world)
        faults.arm(call, { error: new SyncFailed('a sync failed') })
        assert.partialDeepStrictEqual(await append(world, uploadId, part(30, 100)), { refused: 'storage_unavailable' })
        assert.equal((await uploadRow(world, uploadId)).state, 'failed')
        assert.deepEqual(await append(world, uploadId, part(30, 100)), { refused: 'upload_closed', offset: 30 })
        const { openBytes, accountId } = await linkRow(world, opaqueId)
        assert.deepEqual([openBytes, (await accountRow(world, accountId)).usedBytes], [0, 0])
      }),
    )
  }

  for (const [name, change] of [
    ['was cut', (file: string) => truncate(file, 10)],
    ['was removed', (file: string) => rm(file)],
  ] as const) {
    it(
      `a session whose file ${name} starts again, and never lands with a hole`,
      failing(async (world, faults) => {
        const { opaqueId, uploadId } = await startDrop(world)
        const { location } = await uploadRow(world, uploadId)
        // Between the last byte and its sync.
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

describe('chunks in any order', () => {
  it(
    'repeated, misplaced or wrong, never lose an acknowledged chunk, and the file lands intact',
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
          let received = 0
          let rules = world.rules
          for (const { kind, length, at } of steps) {
            if (received === 100) break
            const end = Math.min(100, received + length)
            if (kind === 'restart') rules = world.restarted()
            else if (kind === 'next') {
              assert.deepEqual(await append({ rules }, uploadId, part(received, end)), { offset: end })
              sent.set(received, end)
              received = end
            } else if (kind === 'again') {
              for (const [from, to] of sent)
                assert.deepEqual(await append({ rules }, uploadId, part(from, to)), { offset: to })
            } else {
              const offset = kind === 'gap' ? at : received
              const answer = await append({ rules }, uploadId, {
                offset,
                bytes: kind === 'gap' ? bytes(3) : bytes(101),
              })
              const isNext = offset === received
              if (!isNext)
                assert.deepEqual(answer, {
                  refused: sent.has(offset) ? 'chunk_conflict' : 'chunk_misplaced',
                  offset: received,
                })
              else if (kind === 'wrong bytes')
                assert.deepEqual(answer, { refused: 'chunk_past_size', offset: received })
              else return
            }
            assert.equal((await uploadRow(world, uploadId)).receivedBytes, received)
          }
          if (received < 100) assert.deepEqual(await append({ rules }, uploadId, part(received, 100)), { offset: 100 })
          const [drop] = (await world.rules.inbox.list(owner)).slice(-1)
          assert.deepEqual(await readObject(world, defined(drop)), Buffer.from(content))
        }),
        { numRuns: 60 },
      )
    }),
  )
})
