/** Guest's and owner's sessions answer the same requests alike (specification, Append one chunk). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { newAuthor, newBundle, openUpload } from './assetWorld.ts'
import type { Call, Reply } from './call.ts'
import { expectState, MAX_CHUNK_BYTES, SIZE, startChunk } from './chunkRequests.ts'
import { answerOf, expectBodyless413, offsetOf } from './expect.ts'
import { connect } from './server.ts'
import {
  type AnySession,
  append,
  appendBytes,
  cancel,
  chunkHeaders,
  newLink,
  OCTETS,
  openSession,
  sessionPath,
  sha256,
  tokenOf,
} from './world.ts'

const OTHER = randomBytes(SIZE)

/** A request, and its answer as `status code`, followed by `@` and X-Service-Offset when there is one. */
type Step = readonly [ask: (session: AnySession) => Promise<Reply>, answer: string]

const server = await connect()

/** A new session on each path for a file of this length. */
async function bothPaths(size = SIZE): Promise<readonly AnySession[]> {
  const author = await newAuthor(server)
  return [
    await openSession(await newLink(server), randomBytes(size)),
    await openUpload(newBundle(author, { original: randomBytes(size) })),
  ]
}

const inWords = (reply: Reply) =>
  reply.headers['x-service-offset'] === undefined ? answerOf(reply) : `${answerOf(reply)} @${offsetOf(reply)}`

async function expectSteps(steps: readonly Step[], size = SIZE): Promise<readonly AnySession[]> {
  const sessions = await bothPaths(size)
  for (const session of sessions) {
    const answers: string[] = []
    for (const [ask] of steps) answers.push(inWords(await ask(session)))
    assert.deepEqual(
      answers,
      steps.map(([, answer]) => answer),
      sessionPath(session),
    )
  }
  return sessions
}

async function expectStates(sessions: readonly AnySession[], offset: number, state: string): Promise<void> {
  for (const session of sessions) await expectState(session, offset, state)
}

const chunk = (start: number, end?: number) => (session: AnySession) => append(session, start, end)
const other = (offset: number, bytes: number) => (session: AnySession) =>
  appendBytes(session, offset, OTHER.subarray(0, bytes))
const patch = (call: Omit<Call, 'method' | 'path'>) => (session: AnySession) =>
  session.client.send({ method: 'PATCH', path: sessionPath(session), token: tokenOf(session), ...call })

// Covers: CreateDropRequest, size; CreateDropRequest, ciphertext_hash; Append chunk, 409; Append chunk, album uploads; Errors 4, 409;
// Other operations, upload create and finalization; Limits, request body; Chunks
describe('chunks of guests and owners', () => {
  it('are kept in order, repeats are answered with the same offset, and the last one lands the file', async () => {
    const sessions = await expectSteps([
      [chunk(0, 1), '204 @1'],
      [chunk(1, 200), '204 @200'],
      [chunk(0, 1), '204 @1'],
      [chunk(1, 200), '204 @200'],
      [chunk(200), '204 @300'],
      [chunk(200), '204 @300'],
      [chunk(1, 200), '204 @200'],
    ])
    await expectStates(sessions, SIZE, 'landed')
  })

  it('are refused when they conflict, with the offset to continue from', async () => {
    const sessions = await expectSteps([
      [chunk(1, 100), '409 upload.offset_mismatch @0'],
      [chunk(0, 100), '204 @100'],
      [other(0, 100), '409 upload.chunk_conflict @100'],
      [chunk(0, 50), '409 upload.chunk_conflict @100'],
      [chunk(50, 100), '409 upload.offset_mismatch @100'],
      [chunk(101, 200), '409 upload.offset_mismatch @100'],
      [other(100, 201), '409 upload.size_exceeded @100'],
      [
        (session) => appendBytes(session, 100, session.file.subarray(100), wrongSum),
        '409 upload.checksum_mismatch @100',
      ],
    ])
    await expectStates(sessions, 100, 'open')
    for (const session of sessions) assert.equal(inWords(await append(session, 100)), '204 @300')
  })

  it('are refused after the landing', async () => {
    await expectSteps([
      [chunk(0), '204 @300'],
      [chunk(0, 100), '409 upload.session_closed @300'],
      [chunk(100), '409 upload.session_closed @300'],
      [other(300, 5), '409 upload.session_closed @300'],
    ])
  })

  it('fail the session when the file has another hash than declared, and get the same answer when repeated', async () => {
    const sessions = await expectSteps([
      [chunk(0, 100), '204 @100'],
      [other(100, 200), '409 upload.content_hash_mismatch @300'],
      [other(100, 200), '409 upload.content_hash_mismatch @300'],
      [cancel, '409 upload.session_closed @300'],
    ])
    await expectStates(sessions, SIZE, 'failed')
  })

  it('are answered 400 unless both headers have the right form', async () => {
    const [offset, sum] = [{ 'x-service-offset': '0' }, { 'x-service-checksum': sha256(OTHER) }]
    const bare = (headers: object) => patch({ body: OTHER, headers: { 'content-type': OCTETS, ...headers } })
    const sessions = await expectSteps([
      [bare({}), '400 upload.missing_offset'],
      [bare(sum), '400 upload.missing_offset'],
      [bare({ ...sum, 'x-service-offset': '+0' }), '400 upload.missing_offset'],
      [bare({ ...sum, 'x-service-offset': '9007199254740992' }), '400 upload.missing_offset'],
      [bare(offset), '400 upload.missing_checksum'],
      [bare({ ...offset, 'x-service-checksum': sha256(OTHER).toUpperCase() }), '400 upload.missing_checksum'],
      [bare({ ...offset, 'x-service-checksum': `sha256:${sha256(OTHER)}` }), '400 upload.missing_checksum'],
    ])
    await expectStates(sessions, 0, 'open')
  })

  it('are checked for session, content type, headers, body limit, repeat, state, offset, size and checksum in this order', async () => {
    const large = randomBytes(MAX_CHUNK_BYTES + 1)
    const lost = (session: AnySession) => ({ ...session, uploadId: '00000000-0000-4000-8000-000000000000' })
    await expectSteps([
      [(session) => patch({ body: OTHER })(lost(session)), '404 upload.session_not_found'],
      [patch({ body: OTHER, headers: { 'content-type': 'text/plain' } }), '415 request.unsupported_media_type'],
      [patch({ body: large, headers: { 'content-type': OCTETS } }), '400 upload.missing_offset'],
      [(session) => appendBytes(session, 77, large), '413'],
      [chunk(0, 100), '204 @100'],
      [(session) => appendBytes(session, 0, session.file.subarray(0, 100)), '204 @100'],
      [(session) => appendBytes(session, 101, large.subarray(0, SIZE), wrongSum), '409 upload.offset_mismatch @100'],
      [(session) => appendBytes(session, 100, large.subarray(0, SIZE), wrongSum), '409 upload.size_exceeded @100'],
      [
        (session) => appendBytes(session, 100, session.file.subarray(0, 9), wrongSum),
        '409 upload.checksum_mismatch @100',
      ],
      [(session) => appendBytes(session, 100, Buffer.alloc(0)), '400 upload.empty_chunk'],
    ])
  })

  it('may have 16 MiB, with and without Content-Length', async () => {
    const bundle = newBundle(await newAuthor(server), { original: randomBytes(MAX_CHUNK_BYTES + 1) })
    const session = await openUpload(bundle)
    const whole = patch({ body: session.file, headers: chunkHeaders(0, session.file), withoutLength: true })
    expectBodyless413(await whole(session))
    assert.equal(inWords(await append(session, 0, MAX_CHUNK_BYTES)), `204 @${MAX_CHUNK_BYTES}`)
    const last = session.file.subarray(MAX_CHUNK_BYTES)
    const rest = patch({ body: last, headers: chunkHeaders(MAX_CHUNK_BYTES, last), withoutLength: true })
    assert.equal(inWords(await rest(session)), `204 @${MAX_CHUNK_BYTES + 1}`)
  })

  it('leave the offset at the last whole chunk when the connection is cut', async () => {
    for (const session of await bothPaths()) {
      await append(session, 0, 100)
      const cut = await startChunk(session, 100)
      await cut.write(session.file.subarray(100, 200))
      cut.cut()
      await expectState(session, 100, 'open')
      assert.equal(inWords(await append(session, 100, 150)), '204 @150')
    }
  })

  it('are kept when they come from the newer of two requests', async () => {
    for (const session of await bothPaths()) {
      const older = await startChunk(session)
      await older.write(session.file.subarray(0, 100))
      // When the node of the older request answers one of these, it has found that request.
      for (let asked = 0; asked < 2; asked += 1) await expectState(session, 0, 'open')
      assert.equal(inWords(await append(session, 0, 200)), '204 @200')
      await older.write(session.file.subarray(100)).catch(() => {})
      older.end()
      assert.equal(answerOf(await older.reply), '409 upload.offset_mismatch')
      assert.equal(inWords(await append(session, 200)), '204 @300')
    }
  })

  it('land a complete file when the last answer is lost', async () => {
    for (const session of await bothPaths()) {
      const lost = await startChunk(session)
      await lost.write(session.file)
      lost.end()
      lost.cut()
      assert.equal(inWords(await append(session)), '204 @300')
      await expectState(session, SIZE, 'landed')
    }
  })

  it('are refused after the session is cancelled', async () => {
    await expectSteps([
      [chunk(0, 100), '204 @100'],
      [cancel, '204'],
      [cancel, '404 upload.session_not_found'],
      [chunk(0, 100), '404 upload.session_not_found'],
      [chunk(100), '404 upload.session_not_found'],
    ])
  })
})

const wrongSum = { 'x-service-checksum': 'a'.repeat(64) }
