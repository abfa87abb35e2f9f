import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { pause } from '../harness/api.ts'
import { judgeRows } from '../harness/judge.ts'
import { createWorld, judgeAll, startLoad, type World } from '../harness/load.ts'
import { sha256 } from '../harness/random.ts'
import { appendUpTo, newLink, openSession, type Session } from '../harness/session.ts'

/** The server waits 15 s for such a guest. */
const MAX_STOP_MS = 45_000
const LOAD_MS = 1_500
const SIZE = 3_000_001
const CHUNK_BYTES = 1_000_003

describe('a server after SIGTERM', () => {
  it('exits with 0 in the middle of a load, and loses nothing that it acknowledged', async (test) => {
    const seed = process.env.FAULTS_SEED ?? randomBytes(4).toString('hex')
    const world = await createWorld(seed)
    const { server, ledger } = world
    try {
      const load = startLoad(world, 5)
      for (let round = 0; round < 2; round++) {
        await pause(LOAD_MS)
        test.diagnostic(`ended after ${await terminate(world)} ms`)
        await server.restart()
      }
      await load.stop()
      test.diagnostic(JSON.stringify(ledger.counts))
      await judgeAll(world)
      assert.deepEqual(ledger.faults, [], `seed ${seed}`)
    } finally {
      await world.close()
    }
  })

  it('does not wait without a bound for a guest that stops in the middle of a chunk', async (test) => {
    const world = await createWorld('stalled')
    try {
      const session = await openSession(world, await newLink(world, 'stalled'), { name: 'stalled', size: SIZE })
      await appendUpTo(session, CHUNK_BYTES, CHUNK_BYTES)
      const socket = await halfAChunk(world, session)
      test.diagnostic(`ended after ${await terminate(world)} ms`)
      socket.destroy()
      await world.server.restart()
      assert.deepEqual(await session.upload.state(), { state: 'open', offset: CHUNK_BYTES })
      await appendUpTo(session, SIZE, CHUNK_BYTES)
      await judgeAll(world)
      assert.deepEqual(world.ledger.faults, [])
    } finally {
      await world.close()
    }
  })
})

/** Returns the milliseconds that it took. Compares the rows and files with what was acknowledged. */
async function terminate({ server, oracle, ledger }: World): Promise<number> {
  const askedAt = Date.now()
  assert.equal(await server.terminate(), 0, server.log().slice(-2000))
  const elapsedMs = Date.now() - askedAt
  assert.ok(elapsedMs < MAX_STOP_MS, `it took ${elapsedMs} ms`)
  const faults = await oracle.examine({ also: (database) => judgeRows(database, ledger) })
  assert.deepEqual([...faults, ...ledger.faults], [])
  return elapsedMs
}

/** Sends the head of a chunk's request and half of its body. */
async function halfAChunk({ server }: World, { attempt, content }: Session): Promise<Socket> {
  const chunk = content.subarray(CHUNK_BYTES, 2 * CHUNK_BYTES)
  const socket = connect({ host: '127.0.0.1', port: server.port })
  // The server cuts the connection in the end.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const head = [
    `PATCH /d/${attempt.link.opaqueId}/${attempt.uploadId} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/octet-stream',
    `Content-Length: ${chunk.length}`,
    `X-Service-Offset: ${CHUNK_BYTES}`,
    `X-Service-Checksum: ${sha256(chunk)}`,
  ]
  await new Promise<void>((resolve) => {
    socket.write(
      Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), chunk.subarray(0, chunk.length / 2)]),
      () => resolve(),
    )
  })
  return socket
}
