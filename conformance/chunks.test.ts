import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { expectConflict, expectState, MAX_CHUNK_BYTES, newSession, patch, SIZE, startChunk } from './chunkRequests.ts'
import { answerOf, expectAnswer, expectBodyless413, offsetOf } from './expect.ts'
import { connect } from './server.ts'
import {
  append,
  appendBytes,
  chunkHeaders,
  entryOf,
  inboxOf,
  land,
  newLink,
  onlyDrop,
  openSession,
  quotaOf,
  revoke,
  sessionPath,
  sha256,
  stateOf,
} from './world.ts'

const server = await connect()

// Covers: Append chunk; Limits, request body; Chunks
describe('chunks in order', () => {
  it('are answered 204 with the new offset, and the last byte lands the drop', async () => {
    const session = await newSession(server)
    await expectState(session, 0, 'open')
    for (const [start, end] of [
      [0, 1],
      [1, 200],
      [200, 299],
    ] as const) {
      const reply = await append(session, start, end)
      assert.deepEqual([answerOf(reply), offsetOf(reply)], ['204', end])
      await expectState(session, end, 'open')
    }
    const last = await append(session, 299)
    assert.deepEqual([answerOf(last), offsetOf(last)], ['204', SIZE])
    await expectState(session, SIZE, 'landed')
  })

  it('land a file of one byte', async () => {
    const link = await newLink(server)
    await land(link, randomBytes(1))
    assert.equal((await onlyDrop(link.owner)).size, 1)
  })

  it('are accepted without Content-Length', async () => {
    const session = await newSession(server)
    const headers = chunkHeaders(0, session.file)
    const reply = await server.send({
      method: 'PATCH',
      path: sessionPath(session),
      body: session.file,
      headers,
      withoutLength: true,
    })
    assert.deepEqual([answerOf(reply), offsetOf(reply)], ['204', SIZE])
    await expectState(session, SIZE, 'landed')
  })

  it('are answered 100 Continue when the client asks before it sends', async () => {
    const session = await newSession(server)
    const sending = await startChunk(session)
    await sending.write(session.file)
    sending.end()
    expectAnswer(await sending.reply, '204')
    await expectState(session, SIZE, 'landed')
  })

  it('are accepted byte by byte', async () => {
    const session = await newSession(server, 50)
    const sending = await startChunk(session)
    for (const byte of session.file) await sending.write(Buffer.of(byte))
    sending.end()
    expectAnswer(await sending.reply, '204')
  })

  it('may have 16 MiB, and are answered a 413 without a body for one byte more', async () => {
    const session = await newSession(server, MAX_CHUNK_BYTES + 1)
    expectBodyless413(await append(session))
    const headers = chunkHeaders(0, session.file)
    expectBodyless413(
      await server.send({
        method: 'PATCH',
        path: sessionPath(session),
        body: session.file,
        headers,
        withoutLength: true,
      }),
    )
    await expectState(session, 0, 'open')
    const full = await append(session, 0, MAX_CHUNK_BYTES)
    assert.deepEqual([answerOf(full), offsetOf(full)], ['204', MAX_CHUNK_BYTES])
    expectAnswer(await append(session, MAX_CHUNK_BYTES), '204')
    await expectState(session, MAX_CHUNK_BYTES + 1, 'landed')
  })
})

// Covers: Chunks
describe('repeated chunks', () => {
  it('are answered with the same offset', async () => {
    const session = await newSession(server)
    for (const [start, end] of [
      [0, 100],
      [100, 200],
    ] as const)
      await append(session, start, end)
    for (const [start, end] of [
      [0, 100],
      [100, 200],
      [0, 100],
    ] as const) {
      const reply = await append(session, start, end)
      assert.deepEqual([answerOf(reply), offsetOf(reply)], ['204', end])
    }
    await expectState(session, 200, 'open')
  })

  it('are answered 204 for the last chunk, and one drop has landed', async () => {
    const link = await newLink(server)
    const session = await land(link)
    for (let round = 0; round < 3; round += 1) {
      const reply = await append(session)
      assert.deepEqual([answerOf(reply), offsetOf(reply)], ['204', session.file.length])
    }
    assert.equal((await inboxOf(link.owner)).length, 1)
    assert.equal((await entryOf(link)).landed_files, 1)
  })

  it('are answered the same after changes of the link and the drop', async () => {
    const link = await newLink(server)
    const session = await openSession(link, randomBytes(SIZE))
    await append(session, 0, 100)
    await append(session, 100)
    await revoke(link)
    const { drop_id } = await onlyDrop(link.owner)
    await server.send({ method: 'DELETE', path: `/v1/drops/${drop_id}`, token: link.owner.token })
    assert.equal(offsetOf(await append(session, 0, 100)), 100)
    assert.equal(offsetOf(await append(session, 100)), SIZE)
    await expectState(session, SIZE, 'landed')
  })

  it('land a drop whose last answer was lost', async () => {
    const link = await newLink(server)
    const session = await openSession(link, randomBytes(SIZE))
    const sending = await startChunk(session)
    await sending.write(session.file)
    sending.end()
    sending.cut()
    expectAnswer(await append(session), '204')
    assert.equal((await inboxOf(link.owner)).length, 1)
  })
})

// Covers: CreateDropRequest, size; CreateDropRequest, ciphertext_hash; Append chunk, X-Service-Checksum;
// Append chunk, X-Service-Offset; Append chunk, 409; Errors 4, 409; Errors 4, 415; Chunks
describe('refused chunks', () => {
  it('are answered 409 chunk_conflict for other bytes at a recorded offset', async () => {
    const session = await newSession(server)
    await append(session, 0, 100)
    await append(session, 100, 200)
    for (const offset of [0, 100])
      expectConflict(await appendBytes(session, offset, randomBytes(100)), 'chunk_conflict', 200)
    expectConflict(await append(session, 0, 50), 'chunk_conflict', 200)
    await expectState(session, 200, 'open')
  })

  it('are answered 409 offset_mismatch for a gap and for an offset inside a chunk', async () => {
    const session = await newSession(server)
    expectConflict(await append(session, 1, 100), 'offset_mismatch', 0)
    await append(session, 0, 100)
    for (const [start, end] of [
      [101, 200],
      [50, 100],
      [99, 200],
      [299, 300],
    ] as const)
      expectConflict(await append(session, start, end), 'offset_mismatch', 100)
    await expectState(session, 100, 'open')
  })

  it('are answered 409 size_exceeded for more than the declared size', async () => {
    const session = await newSession(server)
    const long = randomBytes(SIZE + 1)
    expectConflict(await appendBytes(session, 0, long), 'size_exceeded', 0)
    const reply = await server.send({
      method: 'PATCH',
      path: sessionPath(session),
      body: long,
      headers: chunkHeaders(0, long),
      withoutLength: true,
    })
    expectConflict(reply, 'size_exceeded', 0)
    await append(session, 0, 299)
    expectConflict(await appendBytes(session, 299, randomBytes(2)), 'size_exceeded', 299)
    expectAnswer(await append(session, 299), '204', 'the session continues')
  })

  it('are answered 409 checksum_mismatch for bytes with another checksum, and are not kept', async () => {
    const session = await newSession(server)
    const wrong = { 'x-service-checksum': sha256(Buffer.from('other')) }
    for (const [start, end] of [
      [0, 100],
      [0, SIZE],
    ] as const)
      expectConflict(await appendBytes(session, 0, session.file.subarray(start, end), wrong), 'checksum_mismatch', 0)
    await expectState(session, 0, 'open')
    expectAnswer(await append(session), '204')
  })

  it('are answered 409 content_hash_mismatch when the drop has another hash than declared, also to repeats', async () => {
    const link = await newLink(server)
    const session = await openSession(link, randomBytes(SIZE), { ciphertext_hash: '0'.repeat(64) })
    expectAnswer(await append(session, 0, 100), '204')
    for (let round = 0; round < 3; round += 1)
      expectAnswer(await append(session, 100), '409 upload.content_hash_mismatch')
    assert.equal((await stateOf(session)).state, 'failed')
    assert.equal((await inboxOf(link.owner)).length, 0)
    assert.equal((await quotaOf(link.owner)).used, 0)
    expectAnswer(
      await server.send({ method: 'GET', path: `${sessionPath(session)}/receipt` }),
      '404 upload.session_not_found',
    )
  })

  it('are answered 409 session_closed after the landing', async () => {
    const session = await land(await newLink(server), randomBytes(SIZE))
    for (const [start, end] of [
      [100, 200],
      [SIZE - 1, SIZE],
      [0, 10],
    ] as const)
      expectConflict(await append(session, start, end), 'session_closed', SIZE)
    expectConflict(await appendBytes(session, SIZE, randomBytes(5)), 'session_closed', SIZE)
  })

  it('are answered 400 missing_offset for an absent or malformed offset', async () => {
    const session = await newSession(server)
    const { 'x-service-offset': _, ...rest } = chunkHeaders(0, session.file)
    expectAnswer(await patch(session, rest), '400 upload.missing_offset')
    for (const offset of ['', '-1', '+0', '0x0', '1e2', '1.0', 'a', '0 0', '0,0', '9007199254740992', '1'.repeat(400)])
      expectAnswer(await patch(session, { ...rest, 'x-service-offset': offset }), '400 upload.missing_offset', offset)
    expectAnswer(
      await patch(session, { ...rest, 'x-service-offset': ['0', '0'] }),
      '400 upload.missing_offset',
      'given twice',
    )
    await expectState(session, 0, 'open')
  })

  it('are answered 400 missing_checksum for an absent or malformed checksum', async () => {
    const session = await newSession(server)
    const { 'x-service-checksum': right = '', ...rest } = chunkHeaders(0, session.file)
    expectAnswer(await patch(session, rest), '400 upload.missing_checksum')
    const wrong = [
      '',
      'A'.repeat(64),
      right.slice(1),
      `${right}0`,
      `sha256:${right}`,
      `"${right}"`,
      Buffer.from(right, 'hex').toString('base64'),
    ]
    for (const checksum of wrong)
      expectAnswer(
        await patch(session, { ...rest, 'x-service-checksum': checksum }),
        '400 upload.missing_checksum',
        checksum,
      )
    await expectState(session, 0, 'open')
  })

  it('are answered 400 when they are empty, with and without Content-Length', async () => {
    const session = await newSession(server)
    expectAnswer(await appendBytes(session, 0, Buffer.alloc(0)), '400 upload.empty_chunk')
    const headers = chunkHeaders(0, Buffer.alloc(0))
    const call = { method: 'PATCH', path: sessionPath(session), body: Buffer.alloc(0), headers }
    expectAnswer(await server.send({ ...call, withoutLength: true }), '400 upload.empty_chunk')
    await expectState(session, 0, 'open')
  })

  it('are answered 415 for any media type but application/octet-stream', async () => {
    const session = await newSession(server)
    for (const type of [
      undefined,
      '',
      'application/json',
      'text/plain',
      'application/octet-streams',
      'multipart/form-data; boundary=x',
    ])
      expectAnswer(
        await patch(session, { ...chunkHeaders(0, session.file), 'content-type': type }),
        '415 request.unsupported_media_type',
        type,
      )
    await expectState(session, 0, 'open')
  })
})
