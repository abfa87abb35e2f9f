import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { expectAnswer } from './expect.ts'
import { connect } from './server.ts'
import {
  append,
  asOwner,
  base64,
  cancel,
  declaration,
  guestView,
  inboxOf,
  land,
  MIB,
  newLink,
  openSession,
  provision,
  seldom,
  sendDeclaration,
  signUp,
  soon,
  visit,
} from './world.ts'

const CONTENT_TYPES = [
  'application/octet-stream',
  'application/pdf',
  'application/zip',
  'text/plain',
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/heic',
  'image/heif',
  'image/tiff',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'audio/flac',
]

const server = await connect()

// Covers: ProvisionLinkRequest, drop_pubkey; ProvisionLinkRequest, expires_at; State: link, expired; State: pending drop, removed;
// Limits, drop link; Requests; Links
describe('the link for its guest', () => {
  it('shows the key, the content types and the chunk size, and no caps when it has none', async () => {
    const drop_pubkey = base64(1216)
    const link = await newLink(server, { drop_pubkey })
    const { content_types, protocol_version, ...view } = await guestView(link)
    assert.deepEqual(view, {
      opaque_id: link.opaqueId,
      drop_pubkey,
      crypto_suite_id: 1,
      passphrase_required: false,
      suggested_chunk_size: 8 * MIB,
    })
    assert.deepEqual(content_types.toSorted(), CONTENT_TYPES.toSorted())
    assert.match(protocol_version, /^\d{4}-\d{2}-\d{2}$/)
  })

  it('names the newest protocol version', async () => {
    const reply = await visit(await newLink(server))
    assert.equal(JSON.parse(reply.body.toString()).protocol_version, reply.headers['x-service-protocol-max'])
  })

  it('shows the limits before the guest sends a byte', async () => {
    const caps = { max_file_size: 500, max_total_bytes: 1000, max_file_count: 3, expires_at: '2099-01-01T00:00:00Z' }
    const view = await guestView(await newLink(server, caps))
    assert.deepEqual(
      [view.max_file_size, view.remaining_bytes, view.remaining_files, view.expires_at],
      [500, 1000, 3, '2099-01-01T00:00:00.000Z'],
    )
  })

  it('shows whether it ends after its first landed drop', async () => {
    const view = await guestView(await newLink(server, { single_use: true }))
    assert.deepEqual([view.single_use, view.remaining_files], [true, undefined])
    const other = await guestView(await newLink(server, { single_use: false }))
    assert.equal(other.single_use ?? false, false)
  })

  it('shows that it needs a passphrase, and nothing about the passphrase', async () => {
    const passphrase_verifier = base64(32)
    const reply = await visit(await newLink(server, { passphrase_verifier }))
    assert.ok(!reply.body.toString().includes(passphrase_verifier))
    assert.equal(JSON.parse(reply.body.toString()).passphrase_required, true)
  })

  it('counts open sessions until they are cancelled', async () => {
    const link = await newLink(server, { max_total_bytes: 1000, max_file_count: 2 })
    const session = await openSession(link, randomBytes(400))
    const during = await guestView(link)
    assert.deepEqual([during.remaining_bytes, during.remaining_files], [600, 1])
    await cancel(session)
    const after = await guestView(link)
    assert.deepEqual([after.remaining_bytes, after.remaining_files], [1000, 2])
  })

  it('is still shown when it is full, with no bytes and no files left', async () => {
    const link = await newLink(server, { max_total_bytes: 100, max_file_count: 1 })
    await land(link, randomBytes(100))
    const view = await guestView(link)
    assert.deepEqual([view.remaining_bytes, view.remaining_files], [0, 0])
  })

  it('has no more bytes or files left after a drop is discarded than before', async () => {
    const link = await newLink(server, { max_total_bytes: 100, max_file_count: 2 })
    await land(link, randomBytes(60))
    const [drop] = await inboxOf(link.owner)
    assert.equal((await asOwner(link.owner, 'DELETE', `/v1/drops/${drop?.drop_id}`)).status, 204)
    const view = await guestView(link)
    assert.deepEqual([view.remaining_bytes, view.remaining_files], [40, 1])
    expectAnswer(await sendDeclaration(link, declaration(randomBytes(41))), '409 drop.cap_exhausted')
  })

  it('accepts no drops from its expiry on, and lets open sessions finish', async () => {
    const link = await provision(await signUp(server), { expires_at: soon() })
    const session = await openSession(link, randomBytes(50))
    await until(
      seldom(async () => (await visit(link)).status === 404),
      'the link expires',
    )
    expectAnswer(await sendDeclaration(link, declaration(randomBytes(10))), '404 drop.link_not_found')
    expectAnswer(await append(session), '204')
    assert.equal((await inboxOf(link.owner)).length, 1)
  })

  it('is not kept by caches', async () => {
    assert.equal((await visit(await newLink(server))).headers['cache-control'], 'no-store')
  })
})
