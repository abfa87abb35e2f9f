import assert from 'node:assert/strict'
import { truncate } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { pause } from '../harness/api.ts'
import { fetchReceipt } from '../harness/guest.ts'
import { judgeRows } from '../harness/judge.ts'
import type { Attempt } from '../harness/ledger.ts'
import { createWorld, judgeAll, type World } from '../harness/load.ts'
import { rowsOf } from '../harness/rows.ts'
import { appendUpTo, fileOf, newLink, openSession } from '../harness/session.ts'
import { createUpload } from '../harness/upload.ts'
import { untilState } from './kills.ts'

const FILES = 8
const FILE_BYTES = 20 * 1024 * 1024 + 17
const CHUNK_BYTES = 9 * 1024 * 1024 - 1
const MAX_ROUNDS = 10
const MAX_LANDING_MS = 60_000

describe('a finishing session', () => {
  it('lands after a kill, without a further request of its guest', async (test) => {
    const world = await createWorld('finishing')
    try {
      const left = await killWhileFinishing(world)
      test.diagnostic(`${left.length} sessions were finishing when the process was killed`)
      await world.server.restart()
      for (const attempt of left) {
        assert.equal(await settledState(world, attempt), 'landed')
        await fetchReceipt(world, attempt)
      }
      // The guests of the other sessions ask for their state, as guests do.
      for (const attempt of world.ledger.attempts) if (!left.includes(attempt)) world.pool.abandoned.push(attempt)
      await judgeAll(world)
      assert.deepEqual(world.ledger.faults, [])
    } finally {
      await world.close()
    }
  })

  it('fails after a kill, without a receipt, when its bytes are lost', async () => {
    const world = await createWorld('finishing and damaged')
    try {
      const [damaged] = await killWhileFinishing(world)
      assert.ok(damaged)
      await truncate(fileOf(world.server.dataDir, damaged), FILE_BYTES - 1)
      await world.server.restart()
      assert.equal(await settledState(world, damaged), 'failed')
      const path = `/d/${damaged.link.opaqueId}/${damaged.uploadId}/receipt`
      assert.equal((await world.api.askUntilAnswered({ method: 'GET', path })).status, 404)
      await world.server.kill9()
      assert.deepEqual(await world.oracle.examine(), [])
    } finally {
      await world.close()
    }
  })
})

/** Sessions that a kill left finishing. That lasts milliseconds: several finish at once, and empty rounds repeat. */
async function killWhileFinishing(world: World): Promise<readonly Attempt[]> {
  const { server, ledger, oracle } = world
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (!server.isRunning()) await server.restart()
    const lastChunks = await allButLastChunks(world, round)
    const sending = Promise.all(lastChunks.map((send) => send()))
    await untilState(server.dataDir, 'a session is finishing')
    await server.kill9()
    await sending
    let left: readonly string[] = []
    const faults = await oracle.examine({
      also(database) {
        const rows = rowsOf(database, `select upload_id from uploads where state = 'finishing'`)
        left = rows.map((row) => row.text('upload_id'))
        return judgeRows(database, ledger)
      },
    })
    assert.deepEqual(faults, [])
    if (left.length > 0)
      return ledger.attempts.filter(({ uploadId }) => uploadId !== undefined && left.includes(uploadId))
  }
  return assert.fail(`in ${MAX_ROUNDS} rounds no kill left a session finishing`)
}

/** Sends everything except the last chunks, and returns functions that send those. */
async function allButLastChunks(world: World, round: number): Promise<readonly (() => Promise<unknown>)[]> {
  const link = await newLink(world, `round ${round}`)
  return Promise.all(
    Array.from({ length: FILES }, async (_, index) => {
      const session = await openSession(world, link, { name: `finishing-${round}-${index}`, size: FILE_BYTES })
      const lastAt = FILE_BYTES - (FILE_BYTES % CHUNK_BYTES)
      await appendUpTo(session, lastAt, CHUNK_BYTES)
      return () => session.upload.append({ offset: lastAt, length: FILE_BYTES - lastAt })
    }),
  )
}

/** Requests only the state, until it is no longer `finishing`. */
async function settledState(world: World, attempt: Attempt): Promise<string | undefined> {
  const upload = createUpload(world, attempt, Buffer.alloc(0))
  const giveUpAt = Date.now() + MAX_LANDING_MS
  for (;;) {
    const current = await upload.state()
    if (current?.state !== 'finishing' || Date.now() > giveUpAt) return current?.state
    await pause(20)
  }
}
