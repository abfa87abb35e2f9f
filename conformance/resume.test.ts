import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { expectConflict, expectState, MAX_CHUNK_BYTES, newSession, patch, SIZE, startChunk } from './chunkRequests.ts'
import { expectAnswer, expectBodyless413, offsetOf } from './expect.ts'
import { connect } from './server.ts'
import {
  append,
  appendBytes,
  cancel,
  chunkHeaders,
  inboxOf,
  land,
  MIB,
  newLink,
  OCTETS,
  onlyDrop,
  openSession,
  sessionPath,
  stateOf,
} from './world.ts'

const server = await connect()

// Covers: Requests; Chunks
describe('chunks: order of checks', () => {
  it('is the specified one', async () => {
    const session = await newSession(server)
    const large = randomBytes(MAX_CHUNK_BYTES + 1)
    const elsewhere = { ...session, uploadId: '00000000-0000-4000-8000-000000000000' }
    expectAnswer(await patch(elsewhere, { 'content-type': 'text/plain' }, large), '404 upload.session_not_found')
    expectAnswer(await patch(session, { 'content-type': 'text/plain' }, large), '415 request.unsupported_media_type')
    expectAnswer(await patch(session, { 'content-type': OCTETS }, large), '400 upload.missing_offset')
    expectAnswer(
      await patch(session, { 'content-type': OCTETS, 'x-service-offset': '0' }, large),
      '400 upload.missing_checksum',
    )
    expectBodyless413(await appendBytes(session, 77, large))
    await append(session, 0, 100)
    expectConflict(
      await appendBytes(session, 101, randomBytes(SIZE), { 'x-service-checksum': 'a'.repeat(64) }),
      'offset_mismatch',
      100,
    )
    expectConflict(
      await appendBytes(session, 100, randomBytes(SIZE), { 'x-service-checksum': 'a'.repeat(64) }),
      'size_exceeded',
      100,
    )
    await append(session, 100)
    expectBodyless413(await appendBytes(session, 0, large), 'also when the session has ended')
  })

  it('lets the client receive the answer, because the server reads a refused chunk to its end', async () => {
    const session = await newSession(server)
    const large = randomBytes(8 * MIB)
    for (let round = 0; round < 4; round += 1) {
      expectAnswer(await appendBytes({ ...session, uploadId: 'x' }, 0, large), '404 upload.session_not_found')
      expectAnswer(await appendBytes(session, 5, large), '409 upload.offset_mismatch')
      expectAnswer(
        await patch(session, { ...chunkHeaders(0, large), 'content-type': 'text/plain' }, large),
        '415 request.unsupported_media_type',
      )
    }
  })
})

// Covers: Chunks
describe('chunks cut in transit', () => {
  it('leave the offset at the last whole chunk', async () => {
    const session = await newSession(server, 2 * MIB)
    expectAnswer(await append(session, 0, MIB), '204')
    const rest = session.file.subarray(MIB)
    const headers = { ...chunkHeaders(MIB, rest), 'content-length': String(rest.length), expect: '100-continue' }
    for (const cutAt of [1, 1000, MIB / 2, MIB - 1]) {
      const sending = server.start({ method: 'PATCH', path: sessionPath(session), headers })
      await sending.continued
      await sending.write(rest.subarray(0, cutAt))
      sending.cut()
      await expectState(session, MIB, 'open')
    }
    expectAnswer(await append(session, MIB), '204')
    await expectState(session, 2 * MIB, 'landed')
  })

  it('can be replaced by another chunk', async () => {
    const link = await newLink(server)
    const session = await openSession(link, randomBytes(SIZE))
    const sending = await startChunk(session)
    await sending.write(randomBytes(200))
    sending.cut()
    for (const [start, end] of [
      [0, 10],
      [10, SIZE],
    ] as const)
      expectAnswer(await append(session, start, end), '204')
    const path = `/v1/drops/${(await onlyDrop(link.owner)).drop_id}/content`
    const content = await server.send({ method: 'GET', path, token: link.owner.token })
    assert.deepEqual(content.body, session.file, 'the cut chunk left no bytes')
  })

  it('lose against a newer request, and are answered 409', async () => {
    const session = await newSession(server)
    const older = await startChunk(session)
    await older.write(session.file.subarray(0, 100))
    expectAnswer(await append(session, 0, 200), '204')
    await older.write(session.file.subarray(100)).catch(() => {})
    older.end()
    const refused = await older.reply
    expectAnswer(refused, '409 upload.offset_mismatch')
    assert.ok([0, 200].includes(offsetOf(refused)), 'the offset before or after the newer chunk')
    await expectState(session, 200, 'open')
    expectAnswer(await append(session, 200), '204')
  })
})

// Covers: Chunks
describe('cancel of a drop session', () => {
  it('answers 204 once and 404 from then on', async () => {
    const session = await newSession(server)
    await append(session, 0, 100)
    expectAnswer(await cancel(session), '204')
    expectAnswer(await cancel(session), '404 upload.session_not_found')
    expectAnswer(await append(session, 0, 100), '404 upload.session_not_found')
    assert.equal((await stateOf(session)).status, 404)
  })

  it('answers 409 session_closed after the landing', async () => {
    const link = await newLink(server)
    const session = await land(link)
    expectAnswer(await cancel(session), '409 upload.session_closed')
    assert.equal((await inboxOf(link.owner)).length, 1)
  })
})
