import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { expectState, newSession, patch, SIZE, startChunk } from './chunkRequests.ts'
import { answerOf, expectAnswer, offsetOf } from './expect.ts'
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
  revoke,
  sessionPath,
} from './world.ts'

const server = await connect()

// Covers: Append chunk; Chunks
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
})

// Covers: Chunks
describe('repeated chunks', () => {
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
})

// Covers: Append chunk, X-Service-Checksum; Append chunk, X-Service-Offset; Errors 4, 415; Chunks
describe('refused chunks', () => {
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
