import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { OutcomeUnknown, type Store } from '../../ports/store.ts'
import { createFaults, createGate } from '../../testing/faults.ts'
import { accountRow, append, bytes, linkRow, newLink, openDrop, ownerOf, uploadRow } from '../../testing/guest.ts'
import { lockReceiptLog } from '../../testing/receipts.ts'
import { inWorld, sha256, type World } from '../../testing/world.ts'

const content = bytes(100)
const whole = { offset: 0, bytes: content }

const receiptsOf = async ({ store }: World) => (await store.read((tx) => tx.receipts.head()))?.receiptSeq ?? 0

/** A session of a process that landed a drop. PostgreSQL first waits for earlier landings: one more write. */
async function openLater(world: World): Promise<Parameters<typeof append>[1]> {
  await append(world, await openDrop(world, await newLink(world), content), whole)
  return openDrop(world, await newLink(world), content)
}

/** Sends the last chunk, and waits until it waits for the locked log. */
async function sendUntilLog(world: World, uploadId: Parameters<typeof append>[1]) {
  const answer = append(world, uploadId, whole)
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1))
  return { answer }
}

describe('a small drop in one chunk', () => {
  it('lands with the transaction of its receipt, and needs no other', async () => {
    let writes = 0
    await inWorld(
      async (world) => {
        const uploadId = await openLater(world)
        writes = 0
        assert.deepEqual(await append(world, uploadId, whole), { offset: 100 })
        assert.equal(writes, 1)
        assert.equal((await uploadRow(world, uploadId)).state, 'landed')
        assert.deepEqual(await append(world, uploadId, whole), { offset: 100 }, 'a repeat gets the same answer')
        assert.equal(await receiptsOf(world), 2)
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

  it('stays open, with nothing received, if the store fails; the guest sends it again', async () => {
    for (const isApplied of [false, true]) {
      const faults = createFaults()
      await inWorld(
        async (world) => {
          const uploadId = await openLater(world)
          faults.arm('storeWrite', { times: 1, isApplied })
          await assert.rejects(append(world, uploadId, whole), /a test broke it/)
          const { state, receivedBytes } = await uploadRow(world, uploadId)
          assert.deepEqual([state, receivedBytes], isApplied ? ['landed', 100] : ['open', 0])
          assert.deepEqual(await append(world, uploadId, whole), { offset: 100 })
          const { accountId } = await uploadRow(world, uploadId)
          assert.equal((await world.rules.inbox.list(accountId)).length, 1)
          assert.equal(await receiptsOf(world), 2)
        },
        { around: faults.around },
      )()
    }
  })

  it('is acknowledged if its commit took effect and only the answer was lost', async () => {
    const faults = createFaults()
    await inWorld(
      async (world) => {
        const uploadId = await openLater(world)
        faults.arm('storeWrite', { times: 1, isApplied: true, error: new OutcomeUnknown('a test lost it') })
        assert.deepEqual(await append(world, uploadId, whole), { offset: 100 })
        assert.equal(await receiptsOf(world), 2)
      },
      { around: faults.around },
    )()
  })

  it(
    'does not land, and leaves the drops of its batch alone, if its link is revoked before the commit',
    inWorld(async (world) => {
      const [revoked, live] = [await newLink(world), await newLink(world)]
      const owner = await ownerOf(world, revoked)
      const uploads = [await openDrop(world, revoked, content), await openDrop(world, live, content)] as const
      const log = await lockReceiptLog(world)
      const [first, second] = [await sendUntilLog(world, uploads[0]), await sendUntilLog(world, uploads[1])]
      await world.rules.links.revoke(owner, revoked)
      await log.release()
      assert.deepEqual(await first.answer, { refused: 'upload_not_found' })
      assert.deepEqual(await second.answer, { offset: 100 })
      assert.deepEqual([await receiptsOf(world), (await accountRow(world, owner)).usedBytes], [1, 0])
    }),
  )

  it(
    'lands once of two sessions of a single-use link',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { singleUse: true })
      const uploads = [await openDrop(world, opaqueId, content), await openDrop(world, opaqueId, content)]
      const log = await lockReceiptLog(world)
      const sent = await Promise.all(uploads.map((uploadId) => sendUntilLog(world, uploadId)))
      await log.release()
      const answers = await Promise.all(sent.map(({ answer }) => answer))
      assert.deepEqual(
        answers.map((answer) => 'refused' in answer),
        'refused' in (answers[0] ?? {}) ? [true, false] : [false, true],
      )
      assert.deepEqual([await receiptsOf(world), (await linkRow(world, opaqueId)).openSessions], [1, 0])
    }),
  )

  it('keeps its bytes while its landing, of which the answer was lost, may still take effect', async () => {
    const mayCommit = createGate()
    let losing = false
    let failing = 0
    /** The lost transaction, which holds its locks until it has ended. */
    let lost: Promise<unknown> = Promise.resolve()
    const lossy = (real: Store): Store => ({
      ...real,
      mayLoseOutcome: true,
      async write(locks, work) {
        if (failing-- > 0) throw new StorageUnavailable('a test broke it')
        if (losing) {
          losing = false
          failing = 1
          lost = mayCommit.passed.then(() => real.write(locks, work))
          throw new OutcomeUnknown('a test lost it')
        }
        await lost
        return real.write(locks, work)
      },
    })
    await inWorld(
      async (world) => {
        const opaqueId = await newLink(world)
        const uploadId = await openDrop(world, opaqueId, content)
        const another = await openDrop(world, opaqueId, content)
        assert.deepEqual(await append(world, another, whole), { offset: 100 })
        losing = true
        await assert.rejects(append(world, uploadId, whole), OutcomeUnknown)
        const other = append(world, uploadId, { offset: 0, bytes: bytes(50) })
        await Promise.race([other, new Promise((resolve) => setTimeout(resolve, 50))])
        mayCommit.open()
        assert.deepEqual(await other, { refused: 'upload_closed', offset: 100 })
        const { location } = await uploadRow(world, uploadId)
        const digest = await world.blobs.digest(location, 100, new AbortController().signal)
        assert.equal(digest.sha256, sha256(content))
        assert.deepEqual(await append(world, uploadId, whole), { offset: 100 })
      },
      { around: { store: lossy } },
    )()
  })
})
