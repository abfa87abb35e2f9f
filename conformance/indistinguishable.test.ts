/** Answers that must not reveal existence: compared by bytes, except request id and time. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  adoptBody,
  authorFrom,
  deleteAsset,
  getAsset,
  landBlob,
  newAuthor,
  newBundle,
  openUpload,
  sendAdoption,
  uploadBody,
} from './assetWorld.ts'
import type { Call } from './call.ts'
import { fingerprint } from './expect.ts'
import { newKey, type Provable, proved } from './proving.ts'
import { finishBody, newRecoverable } from './recovering.ts'
import { connect } from './server.ts'
import {
  append,
  asOwner,
  base64,
  cancel,
  chunkHeaders,
  declaration,
  inboxOf,
  land,
  newEmail,
  newLink,
  newOpaqueId,
  onlyDrop,
  openSession,
  provision,
  revoke,
  type Session,
  sha256,
  signUp,
  soon,
  untilExpired,
} from './world.ts'

const FILE = randomBytes(100)
const MALFORMED = [
  'x',
  'A'.repeat(32),
  '0'.repeat(31),
  '0'.repeat(33),
  '%00',
  '..%2f..',
  '%2e%2e',
  '%ff',
  '%3Cscript%3E',
  'x'.repeat(2000),
]

const server = await connect()

/** A 401 for all: with a proof of a strange key, and, which is another answer, with one that is not valid. */
async function expectSameProved(emails: readonly string[], call: (email: string) => Provable): Promise<void> {
  const withProof = (email: string) => proved(server, newKey(), call(email))
  await expectSame(emails, 401, withProof)
  const { json } = await withProof(newEmail())
  await expectSame(emails, 401, (email) => ({ ...call(email), json: { ...json, ...call(email).json } }))
}

/** Sends `call` for each id and expects the same answer with `status` for all. */
async function expectSame(
  ids: readonly string[],
  status: number,
  call: (id: string) => Call | Promise<Call>,
): Promise<void> {
  const answers = new Map<string, string>()
  for (const id of ids) {
    const asked = await call(id)
    const reply = await server.send(asked)
    assert.equal(reply.status, status, `${asked.method} ${asked.path}`)
    answers.set(fingerprint(reply), id)
  }
  assert.deepEqual([...answers.keys()].length, 1, `answers differ: ${[...answers.keys()].join('\n----\n')}`)
}

async function deadLinks(): Promise<readonly string[]> {
  const owner = await signUp(server)
  const [revoked, expired, spent] = [
    await provision(owner),
    await provision(owner, { expires_at: soon() }),
    await provision(owner, { single_use: true, passphrase_verifier: null }),
  ]
  const gated = await provision(owner, { passphrase_verifier: base64(32) })
  await land(spent)
  await revoke(revoked)
  await revoke(gated)
  await untilExpired(expired)
  return [newOpaqueId(), ...MALFORMED, revoked.opaqueId, expired.opaqueId, spent.opaqueId, gated.opaqueId]
}

// Covers: Append chunk; Revoke; Adopt, 404; Errors 4, 404; Accounts and sessions; Uploads; Inbox and content; Quota and receipts
describe('the same answer', () => {
  it('is a 404 for every link that has ended, when a guest asks for it', async () => {
    await expectSame(await deadLinks(), 404, (id) => ({ method: 'GET', path: `/d/${id}` }))
  })

  it('is a 404 for every link that has ended, when a guest declares a drop', async () => {
    const json = declaration(FILE)
    await expectSame(await deadLinks(), 404, (id) => ({ method: 'POST', path: `/d/${id}`, json }))
    await expectSame(await deadLinks(), 404, (id) => ({
      method: 'POST',
      path: `/d/${id}`,
      json: { ...json, passphrase_proof: base64(32) },
    }))
  })

  it('is a 404 for every link that has ended, when a guest’s client says what it held back', async () => {
    const json = { why: 'too_large' }
    await expectSame(await deadLinks(), 404, (id) => ({ method: 'POST', path: `/d/${id}/link/refusals`, json }))
  })

  it('is a 404 for every session that has ended or belongs to another link', async () => {
    const owner = await signUp(server)
    const [link, other, revoked, single] = [
      await provision(owner),
      await newLink(server),
      await provision(owner),
      await provision(owner, { single_use: true }),
    ]
    const sessions: Session[] = [
      await openSession(link, FILE),
      await openSession(revoked, FILE),
      await openSession(single, FILE),
    ]
    const [cancelled, ended, sibling] = sessions
    if (cancelled === undefined || ended === undefined || sibling === undefined)
      throw new Error('expected three open sessions')
    await cancel(cancelled)
    await revoke(revoked)
    await land(single)
    const [elsewhere, landedElsewhere] = [await openSession(other, FILE), await land(other)]
    const here = `/d/${link.opaqueId}`
    const live = await openSession(link, FILE)
    const paths = [
      `${here}/${randomUUID()}`,
      ...MALFORMED.map((id) => `${here}/${id}`),
      `${here}/${cancelled.uploadId}`,
      `/d/${revoked.opaqueId}/${ended.uploadId}`,
      `/d/${single.opaqueId}/${sibling.uploadId}`,
      `${here}/${elsewhere.uploadId}`,
      `${here}/${landedElsewhere.uploadId}`,
      ...[newOpaqueId(), ...MALFORMED].map((id) => `/d/${id}/${live.uploadId}`),
    ]
    for (const method of ['HEAD', 'DELETE']) await expectSame(paths, 404, (path) => ({ method, path }))
    await expectSame(paths, 404, (path) => ({ method: 'PATCH', path, body: FILE, headers: chunkHeaders(0, FILE) }))
    await expectSame([...paths, `${here}/${live.uploadId}`], 404, (path) => ({
      method: 'GET',
      path: `${path}/receipt`,
    }))
    assert.equal((await append(elsewhere)).status, 204, 'the session of the other link is unchanged')
  })

  it('is a 404 for every drop that is deleted or another account’s', async () => {
    const [link, foreign] = [await newLink(server), await newLink(server)]
    await land(link)
    await land(foreign)
    const discarded = await onlyDrop(link.owner)
    await asOwner(link.owner, 'DELETE', `/v1/drops/${discarded.drop_id}`)
    const ids = [randomUUID(), (await onlyDrop(foreign.owner)).drop_id, discarded.drop_id]
    const { token } = link.owner
    for (const method of ['GET', 'HEAD'])
      await expectSame(ids, 404, (id) => ({ method, path: `/v1/drops/${id}/content`, token }))
    await expectSame(ids, 404, (id) => ({ method: 'DELETE', path: `/v1/drops/${id}`, token }))
  })

  it('is a 404 for the adoption of every drop that is deleted or another account’s', async () => {
    const [link, foreign] = [await newLink(server), await newLink(server)]
    const author = await authorFrom(link.owner)
    const [discarded, adopted, elsewhere] = [await land(link), await land(link), await land(foreign)]
    const [first, second] = await inboxOf(link.owner)
    const waiting = await onlyDrop(foreign.owner)
    assert.ok(first !== undefined && second !== undefined)
    await asOwner(link.owner, 'DELETE', `/v1/drops/${first.drop_id}`)
    const bundle = newBundle(author, { original: adopted.file })
    assert.equal((await sendAdoption(author.owner, second.drop_id, adoptBody(bundle))).status, 200)
    const { token } = link.owner
    for (const { file } of [discarded, adopted, elsewhere]) {
      const json = adoptBody(newBundle(author, { original: file }))
      await expectSame([randomUUID(), first.drop_id, second.drop_id, waiting.drop_id], 404, (id) => ({
        method: 'POST',
        path: `/v1/drops/${id}/adopt`,
        token,
        json,
      }))
    }
  })

  it('is a 404 for every upload session that has ended or that the caller may not fill', async () => {
    const [author, other] = [await newAuthor(server), await newAuthor(server)]
    const link = await provision(author.owner)
    const [cancelled, landed] = [await openUpload(newBundle(author)), await openUpload(newBundle(other))]
    const [guest, foreign] = [await openSession(link, FILE), await openUpload(newBundle(other))]
    await cancel(cancelled)
    await append(landed)
    const { token } = author.owner
    const ids = [randomUUID(), cancelled.uploadId, landed.uploadId, foreign.uploadId]
    const headers = chunkHeaders(0, FILE)
    const path = (id: string) => `/v1/upload/${id}`
    await expectSame([...ids, guest.uploadId], 404, (id) => ({ method: 'HEAD', path: path(id), token }))
    await expectSame([...ids, guest.uploadId], 404, (id) => ({
      method: 'PATCH',
      path: path(id),
      token,
      body: FILE,
      headers,
    }))
    await expectSame(ids, 404, (id) => ({ method: 'DELETE', path: path(id), token }))
    const own = await openUpload(newBundle(author))
    const elsewhere = [randomUUID(), own.uploadId].map((id) => `/d/${link.opaqueId}/${id}`)
    for (const method of ['HEAD', 'DELETE']) await expectSame(elsewhere, 404, (at) => ({ method, path: at }))
    await expectSame(elsewhere, 404, (at) => ({ method: 'PATCH', path: at, body: FILE, headers }))
    for (const session of [own, guest, foreign])
      assert.equal((await append(session)).status, 204, 'the session is unchanged')
  })

  it('is a 404 for every asset and blob that is deleted or another account’s', async () => {
    const [author, other] = [await newAuthor(server), await newAuthor(server)]
    const [foreign, deleted, reserved] = [newBundle(other), newBundle(author), newBundle(author)]
    for (const bundle of [foreign, deleted]) await landBlob(bundle)
    await openUpload(reserved)
    await deleteAsset(deleted)
    const { token } = author.owner
    const ids = [randomUUID(), ...[foreign, deleted, reserved].map(({ assetId }) => assetId)]
    for (const method of ['GET', 'DELETE'])
      await expectSame(ids, 404, (id) => ({ method, path: `/v1/assets/${id}`, token }))
    const hashes = [randomBytes(1), ...[foreign, deleted, reserved].map(({ original }) => original)].map(sha256)
    for (const method of ['GET', 'HEAD'])
      await expectSame(hashes, 404, (hash) => ({ method, path: `/v1/blob/${hash}`, token }))
    assert.equal((await getAsset(foreign)).status, 200)
  })

  it('is a 409 for an asset id that another account uses, has deleted or has reserved', async () => {
    const [author, other] = [await newAuthor(server), await newAuthor(server)]
    const [landed, deleted, reserved] = [newBundle(other), newBundle(other), newBundle(other)]
    for (const bundle of [landed, deleted]) await landBlob(bundle)
    await openUpload(reserved)
    await deleteAsset(deleted)
    const ids = [landed, deleted, reserved].map(({ assetId }) => assetId)
    await expectSame(ids, 409, (assetId) => ({
      method: 'POST',
      path: '/v1/upload',
      token: author.owner.token,
      json: uploadBody(newBundle(author, { assetId })),
    }))
  })

  it('is a 204 for every revocation', async () => {
    const [link, foreign] = [await newLink(server), await newLink(server)]
    const ids = [link.opaqueId, link.opaqueId, foreign.opaqueId, newOpaqueId()]
    await expectSame(ids, 204, (id) => ({ method: 'DELETE', path: `/v1/drops/links/${id}`, token: link.owner.token }))
  })

  it('is given for a wrong key and an unknown e-mail', async () => {
    const emails = [(await signUp(server)).email, 'nobody@conformance.example']
    await expectSameProved(emails, (email) => ({ method: 'POST', path: '/v1/auth/login', json: { email } }))
  })

  it('has one form for salt and sealed recovery key, with a known and an unknown e-mail', async () => {
    const emails = [(await newRecoverable(server)).owner.email, (await signUp(server)).email, newEmail()]
    const asked = [
      { path: '/v1/auth/kdf', varies: 'salt' },
      { path: '/v1/auth/recover/start', varies: 'sealed_recovery_key' },
    ]
    for (const { path, varies } of asked) {
      const shapes = await Promise.all(
        emails.map(async (email) => {
          const reply = await server.send({ method: 'POST', path, json: { email } })
          const value = String(JSON.parse(reply.body.toString())[varies])
          return fingerprint(reply).replace(value, `${value.length} characters`)
        }),
      )
      assert.equal(new Set(shapes).size, 1, path)
    }
  })

  it('is given for wrong words, an unknown e-mail and an account without recovery words', async () => {
    const emails = [(await newRecoverable(server)).owner.email, (await signUp(server)).email, newEmail()]
    const path = '/v1/auth/recover/finish'
    await expectSameProved(emails, (email) => ({ method: 'POST', path, json: finishBody(email) }))
  })

  it('contains no id of the request', async () => {
    const opaqueId = newOpaqueId()
    const uploadId = randomUUID()
    for (const path of [`/d/${opaqueId}`, `/d/${opaqueId}/${uploadId}/receipt`]) {
      const reply = await server.send({ method: 'GET', path })
      const text = fingerprint(reply)
      assert.ok(!text.includes(opaqueId) && !text.includes(uploadId))
    }
  })
})
