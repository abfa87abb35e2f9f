/** Several processes over one database: two sets of rules that share nothing in memory. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { UploadId } from '@blindkeep/protocol/ids'
import { createGate } from '../../testing/faults.ts'
import {
  append,
  appendChunk,
  bytes,
  creation,
  leaveFinishing,
  linkRow,
  never,
  newLink,
  openDrop,
  uploadRow,
} from '../../testing/guest.ts'
import { withUploads } from '../../testing/withUploads.ts'
import { inWorld, sha256, type World } from '../../testing/world.ts'
import type { Rules } from '../rules.ts'

const content = bytes(100_000)

/** The rules of another process. */
const nodeOf = (world: World, nodeId: string) => ({ rules: world.rulesOver({ nodeId }) })

/** Left by a process that has died. */
async function newFinishing(world: World): Promise<UploadId> {
  const uploadId = await openDrop(world, await newLink(world), content)
  await leaveFinishing(world, uploadId, content)
  return uploadId
}

async function rowsOf({ store, clock }: World) {
  const receipts = await store.read((tx) => tx.receipts.head())
  return {
    receipts: receipts?.receiptSeq ?? 0,
    finishing: await store.read((tx) => tx.uploads.finishing({ by: 'x', at: clock.now() })),
  }
}

describe('two processes that finish one session', () => {
  it(
    'have one receipt, and both answer that it landed',
    inWorld(async (world) => {
      const opaqueId = await newLink(world)
      const uploadId = await openDrop(world, opaqueId, content)
      await leaveFinishing(world, uploadId, content)
      // The lease only saves work: without it both sign, and one transaction counts.
      const stores = [0, 1].map(() => ({ ...world.store, write: withoutLeases(world) }))
      const nodes = stores.map((store, at) => world.rulesOver({ store, nodeId: `node ${at}` }))
      const answers = await Promise.all(nodes.map((rules) => rules.finishing.finish(uploadId)))
      assert.deepEqual(answers, [{ offset: content.length }, { offset: content.length }])
      assert.equal((await rowsOf(world)).receipts, 1)
      const { landedFiles, openSessions } = await linkRow(world, opaqueId)
      assert.deepEqual([landedFiles, openSessions], [1, 0])
    }),
  )

  it(
    'wait for each other: a repeat of the last chunk elsewhere answers when the row says so',
    inWorld(async (world) => {
      const { held, isHeld, store } = heldReceiptLog(world)
      const [one, two] = [{ rules: world.rulesOver({ store, nodeId: 'one' }) }, nodeOf(world, 'two')]
      const uploadId = await openDrop(world, await newLink(world), content)
      const first = append(one, uploadId, { offset: 0, bytes: content })
      await isHeld.passed
      let hasAnswered = false
      const repeat = append(two, uploadId, { offset: 0, bytes: content }).finally(() => {
        hasAnswered = true
      })
      // The sweep of the other process leaves it alone too.
      await two.rules.finishing.resume()
      assert.equal(hasAnswered, false)
      held.open()
      assert.deepEqual(await Promise.all([first, repeat]), [{ offset: content.length }, { offset: content.length }])
      assert.equal((await rowsOf(world)).receipts, 1)
    }),
  )

  it(
    'sweep on while the other one finishes what both found',
    inWorld(async (world) => {
      const first = await newFinishing(world)
      world.clock.advance(1)
      const second = await newFinishing(world)
      const [ours, theirs] = [heldReceiptLog(world), heldReceiptLog(world)]
      const resuming = world.rulesOver({ store: ours.store, nodeId: 'one' }).finishing.resume()
      await ours.isHeld.passed
      // It dies with its lease.
      void world.rulesOver({ store: theirs.store, nodeId: 'two' }).finishing.finish(second)
      await theirs.isHeld.passed
      ours.held.open()
      await resuming
      const states = [await uploadRow(world, first), await uploadRow(world, second)].map(({ state }) => state)
      assert.deepEqual(states, ['landed', 'finishing'])
    }),
  )

  it(
    'take over what a process left that has died, once its lease has ended',
    inWorld(async (world) => {
      const { isHeld, store } = heldReceiptLog(world)
      const uploadId = await openDrop(world, await newLink(world), content)
      void append({ rules: world.rulesOver({ store, nodeId: 'dead' }) }, uploadId, { offset: 0, bytes: content })
      await isHeld.passed
      const two = nodeOf(world, 'two')
      world.clock.advance(9)
      await two.rules.finishing.resume()
      assert.equal((await uploadRow(world, uploadId)).state, 'finishing')
      world.clock.advance(1)
      await two.rules.finishing.resume()
      assert.equal((await uploadRow(world, uploadId)).state, 'landed')
    }),
  )
})

describe('two processes that receive one chunk', () => {
  it(
    'acknowledge it both, and another chunk for its place not at all',
    inWorld(async (world) => {
      const uploadId = await openDrop(world, await newLink(world), content)
      const half = content.subarray(0, 50_000)
      const other = bytes(50_000)
      const arriving = [half, half, other].map((chunk, at) => slowly(nodeOf(world, `node ${at}`), uploadId, chunk))
      for (const { isHalf } of arriving) await isHalf.passed
      const answers = []
      for (const { rest, answer } of arriving) {
        rest.open()
        answers.push(await answer)
      }
      const misplaced = { refused: 'chunk_misplaced', offset: 50_000 }
      assert.deepEqual(answers, [{ offset: 50_000 }, { offset: 50_000 }, misplaced])
      assert.equal((await uploadRow(world, uploadId)).chunkCount, 1)
    }),
  )
})

describe('a session that another process writes to', () => {
  it(
    'neither expires nor gives way, until the mark of that process ends',
    inWorld(async (world) => {
      const opaqueId = await newLink(world, { maxFileCount: 1 })
      const uploadId = await openDrop(world, opaqueId, content)
      // No pause: the mark is written at once.
      const marked = createGate()
      const store = { ...world.store, write: afterMark(world, marked.open) }
      let pauses = 0
      const giveUpAfter = () => (pauses++ === 0 ? AbortSignal.abort() : never)
      const writing = slowly({ rules: world.rulesOver({ nodeId: 'one', store, giveUpAfter }) }, uploadId, content)
      await marked.passed
      const two = nodeOf(world, 'two').rules
      const create = async () => Object(await two.drops.create(creation(opaqueId, content))).refused
      world.clock.advance(30)
      assert.equal(await create(), 'caps_exhausted')
      await expire(world, two)
      assert.equal((await uploadRow(world, uploadId)).state, 'open')
      world.clock.advance(31)
      assert.equal(await create(), undefined)
      assert.equal((await uploadRow(world, uploadId)).state, 'ended')
      writing.rest.open()
      assert.deepEqual(await writing.answer, { refused: 'upload_not_found' })
    }),
  )
})

/** Ends sessions as the sweep does that would be due now. */
async function expire({ store }: World, rules: Rules): Promise<void> {
  await rules.ending.end(await store.read((tx) => tx.uploads.expired(EVERYTHING)), { isUnchanged: true })
}

const FAR = Number.MAX_SAFE_INTEGER as never
const EVERYTHING = { noChunkBefore: FAR, idleBefore: FAR, createdBefore: FAR, max: 10 }

/** Every process gets the lease. */
function withoutLeases({ store }: World): World['store']['write'] {
  return (locks, work) => store.write(locks, (tx) => work(withUploads(tx, { lease: async () => true })))
}

function afterMark({ store }: World, then: () => void): World['store']['write'] {
  return (locks, work) =>
    store.write(locks, (tx) => {
      const markWriting: typeof tx.uploads.markWriting = async (...given) => {
        await tx.uploads.markWriting(...given)
        // After the commit.
        setImmediate(then)
      }
      return work(withUploads(tx, { markWriting }))
    })
}

/** A store whose receipt log waits until the test opens it. */
function heldReceiptLog({ store: real }: World) {
  const [held, isHeld] = [createGate(), createGate()]
  const hold = async () => {
    isHeld.open()
    await held.passed
  }
  const store: World['store'] = {
    ...real,
    async withReceiptLogLock(work) {
      await hold()
      return real.withReceiptLogLock(work)
    },
    // Among nodes a lone receipt does without that lock.
    async write(locks, work) {
      if (locks.includes('chain')) await hold()
      return real.write(locks, work)
    },
  }
  return { held, isHeld, store }
}

/** Sends half of a chunk, and the rest when the test opens it. */
function slowly(node: Pick<World, 'rules'>, uploadId: Parameters<typeof append>[1], chunk: Uint8Array) {
  const [isHalf, rest] = [createGate(), createGate()]
  async function* body() {
    yield chunk.subarray(0, chunk.length / 2)
    isHalf.open()
    await rest.passed
    yield chunk.subarray(chunk.length / 2)
  }
  const answer = appendChunk(node, uploadId, { offset: 0, checksum: sha256(chunk), body: body(), signal: never })
  return { isHalf, rest, answer }
}
