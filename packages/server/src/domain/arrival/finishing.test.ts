import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { OutcomeUnknown, StoreBroken } from '../../ports/store.ts'
import { createFaults } from '../../testing/faults.ts'
import {
  accountRow,
  append,
  bytes,
  land,
  leaveFinishing,
  linkRow,
  newLink,
  openDrop,
  ownerOf,
  uploadRow,
} from '../../testing/guest.ts'
import { lockReceiptLog } from '../../testing/receipts.ts'
import { defined, inWorld, type World } from '../../testing/world.ts'

/** Larger than what lands without a finishing state. */
const SIZE = 64 * 1024 + 1
const content = bytes(SIZE)
const whole = { offset: 0, bytes: content }

async function newFinishing(world: World): Promise<UploadId> {
  const uploadId = await openDrop(world, await newLink(world), content)
  await leaveFinishing(world, uploadId, content)
  return uploadId
}

const stateOf = async (world: World, uploadId: UploadId) => (await uploadRow(world, uploadId)).state

describe('finishing', () => {
  it('answers what the row says if the outcome of its commit is unknown', async () => {
    for (const isApplied of [true, false]) {
      const faults = createFaults()
      await inWorld(
        async (world) => {
          const uploadId = await openDrop(world, await newLink(world), content)
          // The first write records the chunk.
          faults.arm('storeWrite', { after: 1, times: 1, isApplied, error: new OutcomeUnknown('a test lost it') })
          assert.deepEqual(await append(world, uploadId, whole), { offset: SIZE })
          const receipts = await world.store.read((tx) => tx.receipts.head())
          assert.equal(receipts?.receiptSeq, 1)
        },
        { around: faults.around },
      )()
    }
  })

  it(
    'runs once for 32 callers',
    inWorld(async (world) => {
      const uploadId = await newFinishing(world)
      const answers = await Promise.all(Array.from({ length: 32 }, () => world.rules.finishing.finish(uploadId)))
      for (const answer of answers) assert.deepEqual(answer, { offset: SIZE })
      assert.equal((await world.store.read((tx) => tx.receipts.head()))?.receiptSeq, 1)
    }),
  )

  it('is resumed by the guest’s repeat and by the sweep after the store failed at any point', async () => {
    for (const way of ['repeat', 'sweep'] as const) {
      for (const isApplied of [false, true]) {
        for (const after of [0, 1]) {
          const faults = createFaults()
          await inWorld(
            async (world) => {
              const opaqueId = await newLink(world)
              const uploadId = await openDrop(world, opaqueId, content)
              faults.arm('storeWrite', { after, times: 1, isApplied })
              await append(world, uploadId, whole).catch(() => undefined)
              faults.disarm()
              if (way === 'sweep') await world.rules.sweep.sweep()
              assert.deepEqual(await append(world, uploadId, whole), { offset: SIZE })
              const drops = await world.rules.inbox.list(await ownerOf(world, opaqueId))
              assert.equal(drops.length, 1, `${way}, after ${after}, applied ${isApplied}`)
              assert.equal((await world.store.read((tx) => tx.receipts.head()))?.receiptSeq, 1)
            },
            { around: faults.around },
          )()
        }
      }
    }
  })

  it('does not acknowledge the last chunk before the drop has landed, however often it is repeated', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        const uploadId = await openDrop(world, opaqueId, content)
        faults.arm('storeWrite', { after: 1 })
        for (let round = 0; round < 5; round += 1) {
          await assert.rejects(append(world, uploadId, whole), /a test broke it/)
          assert.equal(await stateOf(world, uploadId), 'finishing')
        }
        faults.disarm()
        assert.equal((await world.rules.inbox.list(await ownerOf(world, opaqueId))).length, 0)
        assert.deepEqual(await append(world, uploadId, whole), { offset: SIZE })
        assert.equal((await world.rules.inbox.list(await ownerOf(world, opaqueId))).length, 1)
      },
      { around: faults.around },
    )()
  })

  it('continues with other sessions when one fails', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const uploads = [await newFinishing(world), await newFinishing(world), await newFinishing(world)]
        const [failing] = uploads
        faults.arm('blobRead', { location: (await uploadRow(world, defined(failing))).location })
        await assert.rejects(world.restarted().finishing.resume(), /a test broke it/)
        const states = await Promise.all(uploads.map((uploadId) => stateOf(world, uploadId)))
        assert.deepEqual(states, ['finishing', 'landed', 'landed'])
        faults.disarm()
        await world.restarted().finishing.resume()
        assert.equal(await stateOf(world, defined(failing)), 'landed')
      },
      { around: faults.around },
    )()
  })

  it('stops at once when the store is broken', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        await newFinishing(world)
        await newFinishing(world)
        faults.arm('storeWrite', { error: new StoreBroken('broken') })
        await assert.rejects(world.rules.finishing.resume(), StoreBroken)
      },
      { around: faults.around },
    )()
  })

  it(
    'answers for a landed session, refuses an open one, and fails one whose bytes are missing',
    inWorld(async (world) => {
      const { finishing } = world.rules
      const landed = await land(world, await newLink(world), content)
      assert.deepEqual(await finishing.finish(landed), { offset: SIZE })
      const open = await openDrop(world, await newLink(world), content)
      assert.deepEqual(await finishing.finish(open), { refused: 'upload_not_found' })
      const lost = await newFinishing(world)
      await world.blobs.remove((await uploadRow(world, lost)).location)
      assert.deepEqual(await world.restarted().finishing.finish(lost), { refused: 'content_hash_wrong', offset: SIZE })
      assert.equal(await stateOf(world, lost), 'failed')
    }),
  )
})

describe('a finishing session', () => {
  async function untilFinishing(world: World, uploadId: UploadId): Promise<void> {
    while ((await stateOf(world, uploadId)) !== 'finishing') await new Promise(setImmediate)
  }

  it(
    'lands although its link is revoked',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const owner = await ownerOf(world, opaqueId)
      const uploadId = await openDrop(world, opaqueId, content)
      const log = await lockReceiptLog(world)
      const last = append(world, uploadId, whole)
      await untilFinishing(world, uploadId)
      await world.rules.links.revoke(owner, opaqueId)
      assert.equal(await stateOf(world, uploadId), 'finishing')
      await log.release()
      assert.deepEqual(await last, { offset: SIZE })
      assert.equal((await world.rules.inbox.list(owner)).length, 1)
      const { openSessions, openBytes, landedBytes } = await linkRow(world, opaqueId)
      assert.deepEqual(
        [openSessions, openBytes, landedBytes, (await accountRow(world, owner)).usedBytes],
        [0, 0, SIZE, SIZE],
      )
    }),
  )

  it(
    'lands once although it is cancelled and swept, however late',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const uploadId = await openDrop(world, opaqueId, content)
      const log = await lockReceiptLog(world)
      const last = append(world, uploadId, whole)
      await untilFinishing(world, uploadId)
      const cancelled = await world.rules.ending.cancel(await uploadRow(world, uploadId))
      assert.deepEqual(cancelled, { refused: 'upload_closed', offset: SIZE })
      world.clock.advance(8 * 86_400)
      const swept = world.rules.sweep.sweep()
      assert.equal(await stateOf(world, uploadId), 'finishing')
      await log.release()
      assert.deepEqual(await last, { offset: SIZE })
      await swept
      assert.equal((await world.store.read((tx) => tx.receipts.head()))?.receiptSeq, 1)
    }),
  )

  it('of a single-use link makes another session wait, without polling, and ends it by landing', async () => {
    let writes = 0
    await inWorld(
      async (world) => {
        const opaqueId = await newLink(world, { singleUse: true })
        const [first, second] = [await openDrop(world, opaqueId, content), await openDrop(world, opaqueId, content)]
        const log = await lockReceiptLog(world)
        const landing = append(world, first, whole)
        await untilFinishing(world, first)
        const before = writes
        const waiting = append(world, second, whole)
        while (writes === before) await new Promise(setImmediate)
        for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
        assert.equal(await stateOf(world, second), 'open')
        assert.equal(writes - before, 1)
        await log.release()
        assert.deepEqual(await Promise.all([landing, waiting]), [{ offset: SIZE }, { refused: 'upload_not_found' }])
      },
      {
        around: {
          store: (real) => ({
            ...real,
            write(locks, work) {
              writes += 1
              return real.write(locks, work)
            },
          }),
        },
      },
    )()
  })
})
