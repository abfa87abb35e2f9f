import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type Author,
  addAlbum,
  type CreatedUpload,
  expectConsistentQuota,
  getAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  provenanceOf,
  sendUpload,
  uploadBody,
  uploadsOf,
} from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import { expectAnswer, offsetOf, type Problem } from './expect.ts'
import { connect, NAMED, NEEDS_OWN_SERVER, ownServer, SMALL } from './server.ts'
import {
  append,
  cancel,
  entryOf,
  guestView,
  land,
  newLink,
  openSession,
  provision,
  quotaOf,
  sessionPath,
  stateOf,
} from './world.ts'

const server = await connect()
const idOf = (reply: Reply) => json<CreatedUpload>(reply).upload_id

/** Nothing is charged or open, and the id is free for other accounts. */
async function expectNothingHeld(author: Author, assetId: string): Promise<void> {
  assert.equal((await quotaOf(author.owner)).used, 0)
  assert.deepEqual(await uploadsOf(author.owner), [])
  const other = await newAuthor(author.owner.client)
  expectAnswer(await sendUpload(other, uploadBody(newBundle(other, { assetId }))), '201', 'the id is free')
}

// Covers: Quota; Other operations, upload create and finalization; Errors 3; Errors 4, 403; Errors 4, 426; Limits, quota; Versioning 3;
// Uploads; Quota and receipts
describe('create an upload', () => {
  it('answers 201 with the session, its path and a chunk size', async () => {
    const author = await newAuthor(server)
    const reply = await sendUpload(author, uploadBody(newBundle(author)))
    expectAnswer(reply, '201')
    const { upload_id, upload_url, suggested_chunk_size } = json<CreatedUpload>(reply)
    assert.equal(upload_url, `/v1/upload/${upload_id}`)
    assert.equal(reply.headers.location, upload_url)
    assert.ok(suggested_chunk_size >= 1)
    assert.equal(reply.headers['x-service-offset'], undefined, 'there is no offset to continue from')
  })

  it('gives the path below that of the public URL', { skip: NEEDS_OWN_SERVER }, async () => {
    const behind = await ownServer(NAMED)
    const author = await newAuthor(behind)
    const reply = await sendUpload(author, uploadBody(newBundle(author)))
    const { upload_id, upload_url } = json<CreatedUpload>(reply)
    assert.deepEqual([upload_url, reply.headers.location], Array(2).fill(`/below/v1/upload/${upload_id}`))
  })

  it('charges the declared size once, and still after the landing', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author, { original: randomBytes(500) })
    const session = await openUpload(bundle)
    assert.equal((await quotaOf(author.owner)).used, 500)
    await append(session, 0, 100)
    await append(session, 100)
    assert.equal((await quotaOf(author.owner)).used, 500)
    await landBlob(bundle, 'metadata')
    assert.equal(await expectConsistentQuota(author, [bundle.assetId]), 540)
  })

  it('answers 200 with the offset of the open session to the same asset, role and hash', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    const session = await openUpload(bundle)
    for (const sent of [0, 60]) {
      if (sent > 0) await append(session, 0, sent)
      const later = newBundle(author, { ...bundle, manifest: { client_version: 'conformance/2' } })
      for (const body of [uploadBody(bundle), uploadBody(later)]) {
        const reply = await sendUpload(author, body)
        expectAnswer(reply, '200')
        assert.deepEqual([idOf(reply), offsetOf(reply)], [session.uploadId, sent])
        assert.equal(reply.headers.location, `/v1/upload/${session.uploadId}`)
      }
    }
    assert.equal((await quotaOf(author.owner)).used, bundle.original.length, 'charged once')
    expectAnswer(await append(session, 60), '204')
  })

  it('answers 200 with the size for a landed blob of every role', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    for (const role of ['metadata', 'original', 'derivative', 'provenance'] as const) {
      const file =
        role === 'original' ? bundle.original : role === 'provenance' ? provenanceOf(bundle) : randomBytes(30)
      const session = await openUpload(bundle, role, file)
      await append(session)
      const reply = await sendUpload(author, uploadBody(bundle, role, file))
      expectAnswer(reply, '200', role)
      assert.deepEqual([idOf(reply), offsetOf(reply)], [session.uploadId, file.length])
    }
    await expectConsistentQuota(author, [bundle.assetId])
    assert.deepEqual(await uploadsOf(author.owner), [])
  })

  it('accepts every content type of the protocol, and answers 400 to any other', async () => {
    const author = await newAuthor(server)
    const { content_types } = await guestView(await newLink(server))
    for (const content_type of content_types)
      expectAnswer(await sendUpload(author, { ...uploadBody(newBundle(author)), content_type }), '201', content_type)
    for (const content_type of ['', 'text/html', 'image/svg+xml', 'IMAGE/PNG', 'image/png; q=1', ' image/png'])
      expectAnswer(
        await sendUpload(author, { ...uploadBody(newBundle(author)), content_type }),
        '400 upload.unsupported_content_type',
        content_type,
      )
  })

  it('answers 426 to a protocol outside the window, in the header or the body, and accepts both of its ends', async () => {
    const author = await newAuthor(server)
    const { headers } = await getAsset({ author, assetId: randomUUID() })
    const ends = [headers['x-service-protocol-min'], headers['x-service-protocol-max']].map(String)
    const bodyOf = (protocol_version: string) => uploadBody(newBundle(author, { manifest: { protocol_version } }))
    for (const date of ['1999-12-31', '2999-01-01']) {
      const asked = await sendUpload(author, uploadBody(newBundle(author)), { 'x-service-protocol': date })
      expectAnswer(asked, '426 protocol.version_unsupported', `header ${date}`)
      expectAnswer(await sendUpload(author, bodyOf(date)), '426 protocol.version_unsupported', `body ${date}`)
    }
    for (const end of ends)
      expectAnswer(await sendUpload(author, bodyOf(end), { 'x-service-protocol': end }), '201', end)
  })

  it('lets a running upload continue and end with any well-formed date', async () => {
    const author = await newAuthor(server)
    const session = await openUpload(newBundle(author))
    const headers = { 'x-service-protocol': '1999-12-31' }
    const call = { path: sessionPath(session), token: session.token, headers }
    assert.equal((await server.send({ ...call, method: 'HEAD' })).status, 200)
    assert.equal((await server.send({ ...call, method: 'GET', path: '/v1/upload/sessions' })).status, 200)
    expectAnswer(await server.send({ ...call, method: 'PATCH', body: 'x' }), '415 request.unsupported_media_type')
    expectAnswer(await server.send({ ...call, method: 'DELETE' }), '204')
  })

  it('answers 413 with the largest blob of the server, 403 over the quota, and keeps nothing', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const small = await ownServer(SMALL)
    const author = await newAuthor(small)
    const assetId = randomUUID()
    const send = (size: number) =>
      sendUpload(author, uploadBody(newBundle(author, { assetId, original: randomBytes(size) })))
    const large = await send(1001)
    expectAnswer(large, '413 upload.file_too_large')
    assert.equal(json<Problem>(large).limit, 1000)
    await expectNothingHeld(author, assetId)
    const filling = await openUpload(newBundle(author, { original: randomBytes(1000) }))
    const bundle = newBundle(author, { original: randomBytes(51) })
    expectAnswer(await sendUpload(author, uploadBody(bundle)), '403 quota.exceeded')
    expectAnswer(await sendUpload(author, uploadBody(newBundle(author, { original: randomBytes(50) }))), '201')
    assert.equal((await quotaOf(author.owner)).used, 1050)
    expectAnswer(await cancel(filling), '204')
    expectAnswer(await sendUpload(author, uploadBody(newBundle(author, bundle))), '201', 'the refused id is free')
  })
})

// Covers: Uploads
describe('an upload session', () => {
  it('shows its state: open, landed or failed', async () => {
    const author = await newAuthor(server)
    const session = await openUpload(newBundle(author))
    const length = session.file.length
    assert.deepEqual(await stateOf(session), { status: 200, offset: 0, length, state: 'open' })
    await append(session, 0, 30)
    assert.deepEqual(await stateOf(session), { status: 200, offset: 30, length, state: 'open' })
    await append(session, 30)
    assert.deepEqual(await stateOf(session), { status: 200, offset: length, length, state: 'landed' })
    const bad = await openUpload(newBundle(author))
    await append({ ...bad, file: randomBytes(length) })
    assert.deepEqual(await stateOf(bad), { status: 200, offset: length, length, state: 'failed' })
  })

  it('frees the quota and the asset id when it is cancelled', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    const session = await openUpload(bundle)
    await append(session, 0, 10)
    expectAnswer(await cancel(session), '204')
    expectAnswer(await cancel(session), '404 upload.session_not_found')
    expectAnswer(await append(session, 0, 10), '404 upload.session_not_found')
    assert.equal((await stateOf(session)).status, 404)
    await expectNothingHeld(author, bundle.assetId)
  })

  it('frees the quota and the asset id when its bytes are not the declared ones', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    const session = await openUpload(bundle)
    for (let round = 0; round < 2; round += 1)
      expectAnswer(
        await append({ ...session, file: Buffer.alloc(session.file.length) }),
        '409 upload.content_hash_mismatch',
      )
    expectAnswer(await getAsset(bundle), '404 asset.not_found')
    await expectNothingHeld(author, bundle.assetId)
  })

  it('cannot be cancelled when it has landed', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    const session = await openUpload(bundle)
    await append(session)
    expectAnswer(await cancel(session), '409 upload.session_closed')
    assert.equal((await getAsset(bundle)).status, 200)
  })

  it('can be ended by the owner when it is a guest’s, which frees the caps of the link', async () => {
    const link = await newLink(server)
    const { client, token } = link.owner
    const session = await openSession(link, randomBytes(70))
    const landed = await land(link)
    const end = (uploadId: string) => client.send({ method: 'DELETE', path: `/v1/upload/${uploadId}`, token })
    expectAnswer(await end(session.uploadId), '204')
    expectAnswer(await append(session), '404 upload.session_not_found', 'the session of the guest has ended')
    const { open_sessions, open_bytes } = await entryOf(link)
    assert.deepEqual([open_sessions, open_bytes], [0, 0])
    assert.equal((await quotaOf(link.owner)).used, landed.file.length)
    expectAnswer(await end(session.uploadId), '404 upload.session_not_found')
    expectAnswer(await end(landed.uploadId), '409 upload.session_closed')
  })
})

// Covers: Uploads
describe('open uploads', () => {
  it('are listed with those of guests, oldest first, and for their owner only', async () => {
    const author = await newAuthor(server)
    const other = await newAuthor(server)
    const link = await provision(author.owner)
    const bundle = newBundle(author, { original: randomBytes(50) })
    const first = await openUpload(bundle)
    await append(first, 0, 20)
    const guest = await openSession(link, randomBytes(60))
    const last = await openUpload(bundle, 'metadata', randomBytes(70))
    await openUpload(newBundle(other))
    await land(link)
    await cancel(await openUpload(newBundle(author)))
    const listed = await uploadsOf(author.owner)
    const expected = [
      {
        upload_id: first.uploadId,
        asset_id: bundle.assetId,
        blob_role: 'original',
        size: 50,
        offset: 20,
        state: 'open',
      },
      { upload_id: guest.uploadId, opaque_id: link.opaqueId, size: 60, offset: 0, state: 'open' },
      { upload_id: last.uploadId, asset_id: bundle.assetId, blob_role: 'metadata', size: 70, offset: 0, state: 'open' },
    ]
    assert.deepEqual(
      listed.map(({ created_at: _, ...entry }) => entry),
      expected,
    )
    const times = listed.map(({ created_at }) => created_at)
    assert.deepEqual(times, times.toSorted())
    for (const session of [first, last]) expectAnswer(await append(session, session === first ? 20 : 0), '204')
    assert.deepEqual(
      (await uploadsOf(author.owner)).map(({ upload_id }) => upload_id),
      [guest.uploadId],
    )
  })

  it('are none for a new account', async () => {
    assert.deepEqual(await uploadsOf((await newAuthor(server)).owner), [])
  })
})

// Covers: Uploads; Assets and blobs
describe('a taken asset id', () => {
  it('answers 409 to another hash for a role that has a blob or an open session, and accepts more derivatives', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    for (const role of ['original', 'metadata'] as const) {
      const session = await openUpload(bundle, role)
      const rival = role === 'original' ? newBundle(author, { assetId: bundle.assetId }) : bundle
      expectAnswer(await sendUpload(author, uploadBody(rival, role)), '409 asset.id_taken', `${role} is open`)
      await append(session)
      expectAnswer(await sendUpload(author, uploadBody(rival, role)), '409 asset.id_taken', `${role} is held`)
      await landBlob(bundle, 'derivative')
    }
    const provenance = await openUpload(bundle, 'provenance')
    expectAnswer(await sendUpload(author, uploadBody(bundle, 'provenance')), '409 asset.id_taken', 'another signature')
    await append(provenance)
    expectAnswer(await sendUpload(author, uploadBody(bundle, 'provenance')), '409 asset.id_taken')
    await expectConsistentQuota(author, [bundle.assetId])
  })

  it('answers 409 for an asset in another album of the caller', async () => {
    const author = await newAuthor(server)
    const bundle = newBundle(author)
    await landBlob(bundle)
    const elsewhere = { ...author, albumId: await addAlbum(author.owner) }
    const moved = newBundle(elsewhere, { assetId: bundle.assetId, manifest: { original_blob_hash: undefined } })
    expectAnswer(await sendUpload(elsewhere, uploadBody(moved, 'metadata')), '409 manifest.stale')
    assert.equal((await quotaOf(author.owner)).used, bundle.original.length)
  })
})
