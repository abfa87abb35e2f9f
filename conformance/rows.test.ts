/** What sessions and accounts may add in a day. Room for two rows, and two uploads that do not land. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Author, deleteAsset, landBlob, newAuthor, newBundle, sendUpload, uploadBody } from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import { expectAnswer } from './expect.ts'
import { NEEDS_OWN_SERVER, ownServer } from './server.ts'
import { asOwner, base64, newOpaqueId, type Owner, provision } from './world.ts'

const ROWS_OF_SESSION = 2
const UPLOADS = 2

// Covers: Devices, albums and capabilities; Accounts and sessions
describe('what an account may add in a day', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  // An author has an album and a device before the test begins.
  const server = await ownServer({
    REGISTRATION: 'open',
    ROWS_PER_DAY: String(4 * (ROWS_OF_SESSION + 3)),
    UNLANDED_UPLOADS_PER_HOUR: String(UPLOADS),
  })
  const ask = (owner: Owner, method: string, path: string, body: object): Promise<Reply> =>
    server.send({ method, path, token: owner.token, json: body })

  async function expectLimited(add: () => Promise<Reply>): Promise<void> {
    for (let count = 0; count < ROWS_OF_SESSION + 4; count += 1) {
      const reply = await add()
      if (reply.status < 300) continue
      expectAnswer(reply, '429 request.rate_limited')
      assert.match(String(reply.headers['retry-after']), /^[1-9]\d*$/)
      return
    }
    assert.fail('nothing was refused')
  }

  const additions: Readonly<Record<string, (author: Author) => Promise<() => Promise<Reply>>>> = {
    devices:
      async ({ owner }) =>
      () =>
        ask(owner, 'POST', '/v1/devices', { device_id: randomUUID(), public_key: base64(1984) }),
    albums:
      async ({ owner }) =>
      () =>
        ask(owner, 'POST', '/v1/albums', { album_id: randomUUID() }),
    'names of albums':
      async ({ owner, albumId }) =>
      () =>
        ask(owner, 'PATCH', `/v1/albums/${albumId}`, { sealed_name: base64(80) }),
    capabilities:
      async ({ owner, albumId }) =>
      () =>
        ask(owner, 'POST', `/v1/albums/${albumId}/capabilities`, {
          peer: 'https://peer.example',
          expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        }),
    links:
      async ({ owner }) =>
      () =>
        ask(owner, 'POST', '/v1/drops/links', {
          opaque_id: newOpaqueId(),
          drop_pubkey: base64(1216),
          crypto_suite_id: 1,
        }),
    'terms of links': async ({ owner }) => {
      const { opaqueId } = await provision(owner)
      return () => ask(owner, 'PATCH', `/v1/drops/links/${opaqueId}`, { max_file_count: 9 })
    },
    'what was deleted and is restored': async (author) => {
      const bundle = newBundle(author)
      await landBlob(bundle)
      return async () => {
        expectAnswer(await deleteAsset(bundle), '204')
        return asOwner(author.owner, 'POST', `/v1/bin/${bundle.assetId}/restore`)
      }
    },
    shares:
      async ({ owner }) =>
      () =>
        ask(owner, 'POST', '/v1/shares', {
          opaque_id: newOpaqueId(),
          sealed_index: base64(80),
          blob_hashes: ['ab'.repeat(32)],
        }),
    'changes of shares': async ({ owner }) => {
      const opaque_id = newOpaqueId()
      const body = { opaque_id, sealed_index: base64(80), blob_hashes: ['ab'.repeat(32)] }
      expectAnswer(await ask(owner, 'POST', '/v1/shares', body), '201')
      return () => ask(owner, 'PATCH', `/v1/shares/${opaque_id}`, { sealed_name: base64(80) })
    },
  }

  it('is limited for devices, albums, links, shares, capabilities and their changes, and what frees is not', async () => {
    for (const addition of Object.values(additions)) {
      const author = await newAuthor(server)
      await expectLimited(await addition(author))
      const { links } = json<{ links: { opaque_id: string }[] }>(await asOwner(author.owner, 'GET', '/v1/drops/links'))
      for (const { opaque_id } of links)
        expectAnswer(await asOwner(author.owner, 'DELETE', `/v1/drops/links/${opaque_id}`), '204')
      expectAnswer(await asOwner(author.owner, 'DELETE', `/v1/devices/${author.deviceId}`), '204')
    }
  })

  it('is limited for uploads that are opened and cancelled', async () => {
    const author = await newAuthor(server)
    await expectLimited(async () => {
      const reply = await sendUpload(author, uploadBody(newBundle(author)))
      if (reply.status === 201)
        await asOwner(author.owner, 'DELETE', `/v1/upload/${json<{ upload_id: string }>(reply).upload_id}`)
      return reply
    })
  })
})
