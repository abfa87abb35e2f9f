import assert from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { fetchReceipt } from '../harness/guest.ts'
import type { Attempt, Link } from '../harness/ledger.ts'
import { createWorld, type World } from '../harness/load.ts'
import { compareContent, readInbox } from '../harness/owner.ts'
import { sha256 } from '../harness/random.ts'
import { appendUpTo, fileOf, flipBit, landed, newLink, openSession, type Session } from '../harness/session.ts'

const CHUNK_BYTES = 500_009
const SIZE = 5 * CHUNK_BYTES - 3
const RECORDED = 4 * CHUNK_BYTES

/** Damage done to the file while the server was stopped, and how many bytes before it are intact. */
const damages: readonly {
  readonly what: string
  readonly intactBytes: number
  readonly apply: (path: string) => Promise<void>
}[] = [
  {
    what: 'the second of four chunks has one flipped bit',
    intactBytes: CHUNK_BYTES,
    apply: (path) => flipBit(path, CHUNK_BYTES + 77),
  },
  {
    what: 'the last of four chunks has one flipped bit',
    intactBytes: 3 * CHUNK_BYTES,
    apply: (path) => flipBit(path, RECORDED - 1),
  },
  {
    what: 'the file ends in the third chunk',
    intactBytes: 2 * CHUNK_BYTES,
    apply: (path) => truncate(path, 2 * CHUNK_BYTES + 1),
  },
  {
    what: 'the file ends between two chunks',
    intactBytes: 3 * CHUNK_BYTES,
    apply: (path) => truncate(path, 3 * CHUNK_BYTES),
  },
  { what: 'the file is empty', intactBytes: 0, apply: (path) => truncate(path, 0) },
  { what: 'the file is missing', intactBytes: 0, apply: (path) => rm(path) },
  { what: 'nothing is damaged', intactBytes: RECORDED, apply: async () => undefined },
]

describe('the first request to a session after a start', () => {
  let world: World
  const sessions: Session[] = []

  before(async () => {
    world = await createWorld('damage')
    const link = await newLink(world, 'damage')
    for (const { what } of damages) {
      const session = await openSession(world, link, { name: what.replaceAll(' ', '-'), size: SIZE })
      await appendUpTo(session, RECORDED, CHUNK_BYTES)
      sessions.push(session)
    }
    assert.equal(await world.server.terminate(), 0)
    for (const [index, { apply }] of damages.entries())
      await apply(fileOf(world.server.dataDir, sessionAt(index).attempt))
    await world.server.restart()
  })
  after(() => world?.close())

  const sessionAt = (index: number): Session => {
    const session = sessions[index]
    assert.ok(session)
    return session
  }

  for (const [index, { what, intactBytes }] of damages.entries()) {
    it(`resumes behind the last intact chunk when ${what}`, async () => {
      const session = sessionAt(index)
      const { attempt, upload } = session
      if (intactBytes < RECORDED) {
        // The disk has lost acknowledged bytes, so here the server must go back.
        attempt.hasPendingRequest = true
        attempt.acknowledgedOffset = intactBytes
        const reply = await upload.append({ offset: RECORDED, length: SIZE - RECORDED })
        assert.deepEqual(
          [reply?.status, reply?.code, reply?.offset],
          [409, 'error.upload.offset_mismatch', intactBytes],
        )
        attempt.landed = 'no'
      }
      assert.deepEqual(await upload.state(), { state: 'open', offset: intactBytes })
      // Other chunk boundaries than before: nothing of the lost chunks may remain.
      await appendUpTo(session, SIZE, CHUNK_BYTES - 1001)
      await fetchReceipt(world, attempt)
      const entry = (await readInbox(world, attempt.link.owner)).find(({ drop_id }) => drop_id === attempt.dropId)
      assert.ok(entry)
      await compareContent(world, attempt.link.owner, entry)
      assert.deepEqual(world.ledger.faults, [])
    })
  }

  it('leaves rows, files and receipts consistent', async () => {
    await world.server.kill9()
    assert.deepEqual(await world.oracle.examine(), [])
    await world.server.restart()
  })
})

describe('the content of a pending drop', () => {
  const losses: readonly { readonly what: string; readonly apply: (path: string) => Promise<void> }[] = [
    { what: 'is missing', apply: (path) => rm(path) },
    { what: 'is truncated', apply: (path) => truncate(path, SIZE - 1) },
    { what: 'is longer', apply: (path) => truncate(path, SIZE + 1) },
  ]
  let world: World
  let link: Link

  before(async () => {
    world = await createWorld('lost')
    link = await newLink(world, 'lost')
  })
  after(() => world?.close())

  for (const { what, apply } of losses) {
    it(`is answered with 500 error.storage.unavailable when its file ${what}`, async () => {
      const lost = await landed(world, link, { name: `lost-${what.replaceAll(' ', '-')}`, size: SIZE })
      await apply(fileOf(world.server.dataDir, lost))
      const reply = await ask(lost, 'GET')
      assert.deepEqual([reply.status, reply.code], [500, 'error.storage.unavailable'])
      assert.equal((await ask(lost, 'HEAD')).status, 500)
    })
  }

  it('is served when files of other drops are missing', async () => {
    const kept = await landed(world, link, { name: 'kept', size: 11 })
    await rm(fileOf(world.server.dataDir, await landed(world, link, { name: 'missing', size: 11 })))
    const reply = await ask(kept, 'GET')
    assert.deepEqual([reply.status, sha256(reply.body)], [200, kept.hash])
    assert.deepEqual(world.ledger.faults, [])
  })

  function ask({ dropId, link: { owner } }: Attempt, method: 'GET' | 'HEAD') {
    return world.api.askUntilAnswered({ method, path: `/v1/drops/${dropId}/content`, token: owner.token })
  }
})
