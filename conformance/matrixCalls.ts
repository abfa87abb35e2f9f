/** A granted request of the owner for every operation of the matrix, each with data of its own. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  type Author,
  addDevice,
  adoptBody,
  authorFrom,
  type Bundle,
  landBlob,
  newBundle,
  openUpload,
  sendJson,
  uploadBody,
} from './assetWorld.ts'
import { type Call, json } from './call.ts'
import { addPasskey, newPasskey } from './passkeying.ts'
import { type Key, newKey, proved } from './proving.ts'
import { changeWords, finishBody, wordsBody } from './recovering.ts'
import { makeShare, shareBody } from './sharing.ts'
import {
  asOwner,
  base64,
  chunkHeaders,
  declaration,
  inboxOf,
  type Link,
  land,
  linkBody,
  newEmail,
  type Owner,
  openSession,
  provision,
  sha256,
  signIn,
} from './world.ts'

/** An account with a live link and an asset. */
export interface Person {
  readonly owner: Owner
  readonly author: Author
  readonly link: Link
  readonly asset: Bundle
  /** The sign-in key after the operation that changes it. */
  readonly nextKey: Key
  /** Of the recovery words that are confirmed. */
  readonly words: Key
}

export async function personFrom(owner: Owner): Promise<Person> {
  const author = await authorFrom(owner)
  const asset = newBundle(author)
  await landBlob(asset)
  return { owner, author, asset, link: await provision(owner), nextKey: newKey(), words: newKey() }
}

/** Without a token, because each caller has its own. */
export interface Prepared {
  readonly call: Call
  /** Another token of the owner, when the operation ends the session. */
  readonly token?: string
  /** The key of the proof in the body. */
  readonly provedBy?: Key
}

/** Throws for an unknown operation. */
export async function prepare(name: string, person: Person): Promise<Prepared> {
  const make = REQUESTS[name]
  assert.ok(make !== undefined, `matrixCalls.ts has no request for ${name}`)
  const [method = '', path = ''] = name.split(' ')
  const { token, provedBy, params = {}, query = '', ...request } = await make(person)
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = params[parameter]
    assert.ok(value !== undefined, `matrixCalls.ts has no {${parameter}} for ${name}`)
    return value
  })
  const call = { method, path: filled + query, ...request }
  const ownToken = token === undefined ? {} : { token }
  if (provedBy === undefined) return { call, ...ownToken }
  return { call: await proved(person.owner.client, provedBy, { json: {}, ...call }), provedBy, ...ownToken }
}

interface Request extends Pick<Call, 'body' | 'headers'> {
  readonly json?: object
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly token?: string
  readonly provedBy?: Key
}

type MakeRequest = (person: Person) => Promise<Request> | Request

const FILE_BYTES = 50
const CHUNK = Buffer.from('chunk')
const newFile = () => randomBytes(FILE_BYTES)
const plain: MakeRequest = () => ({})
const chunk = { body: CHUNK, headers: chunkHeaders(0, CHUNK) }
const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** A pending drop of a new link. Only the owner knows its id. */
async function newDrop({ owner }: Person): Promise<{ dropId: string; opaqueId: string; file: Buffer }> {
  const [link, file] = [await provision(owner), newFile()]
  await land(link, file)
  const entry = (await inboxOf(owner)).find(({ opaque_id }) => opaque_id === link.opaqueId)
  assert.ok(entry !== undefined, 'the drop is in the inbox')
  return { dropId: entry.drop_id, opaqueId: link.opaqueId, file }
}

const ofDrop: MakeRequest = async (person) => ({ params: { drop_id: (await newDrop(person)).dropId } })
const ofBinned: MakeRequest = async (person) => {
  const { dropId, file } = await newDrop(person)
  assert.equal((await asOwner(person.owner, 'DELETE', `/v1/drops/${dropId}`)).status, 204)
  return { params: { bin_id: dropId, hash: sha256(file) } }
}
const ofAsset: MakeRequest = async ({ asset }) => ({ params: { asset_id: asset.assetId } })
const ofBlob: MakeRequest = ({ asset }) => ({ params: { hash: sha256(asset.original) } })
const ofAlbum: MakeRequest = ({ author }) => ({ params: { album_id: author.albumId } })
const ofUpload: MakeRequest = async ({ author }) => ({
  params: { upload_id: (await openUpload(newBundle(author))).uploadId },
})
const ofLink: MakeRequest = ({ link }) => ({ params: { opaque_id: link.opaqueId } })
const ofSession: MakeRequest = async ({ link }) => {
  const { uploadId } = await openSession(link, newFile())
  return { params: { opaque_id: link.opaqueId, upload_id: uploadId } }
}

async function newShare({ owner, asset }: Person): Promise<string> {
  const body = shareOf(asset)
  assert.equal((await makeShare(owner, body)).status, 201)
  return body.opaque_id
}
const shareOf = (asset: Bundle) =>
  shareBody({ blob_hashes: [sha256(asset.original)], sealed_name: base64(80), sealed_record: base64(82) })
const ofShare: MakeRequest = async (person) => ({
  params: { opaque_id: await newShare(person), hash: sha256(person.asset.original) },
})

async function newCapability({ author }: Person): Promise<string> {
  const body = { peer: 'https://peer.example', expires_at: inOneHour() }
  const reply = await sendJson(author.owner, `/v1/albums/${author.albumId}/capabilities`, body)
  assert.equal(reply.status, 201)
  return json<{ jti: string }>(reply).jti
}

function sessionIdOf({ token }: Owner): string {
  const claims: { readonly sid: string } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return claims.sid
}

const REQUESTS: Readonly<Record<string, MakeRequest>> = {
  'GET /.well-known/service/attestation-keys': plain,
  'HEAD /.well-known/service/attestation-keys': plain,
  'GET /.well-known/service/deprecation': plain,
  'HEAD /.well-known/service/deprecation': plain,
  'GET /.well-known/service/moves': plain,
  'HEAD /.well-known/service/moves': plain,
  'GET /.well-known/service/revoked-jti': plain,
  'HEAD /.well-known/service/revoked-jti': plain,
  'GET /.well-known/service/server-info': plain,
  'HEAD /.well-known/service/server-info': plain,
  'GET /v1/version': plain,
  'HEAD /v1/version': plain,
  'GET /v1/site': plain,
  'HEAD /v1/site': plain,
  'GET /openapi.json': plain,
  'HEAD /openapi.json': plain,
  'GET /openapi-3.1.json': plain,
  'HEAD /openapi-3.1.json': plain,
  'GET /healthz': plain,
  'HEAD /healthz': plain,
  'GET /readyz': plain,
  'HEAD /readyz': plain,
  'GET /problems/{code}': () => ({ params: { code: 'error.request.malformed' } }),
  'HEAD /problems/{code}': () => ({ params: { code: 'error.request.malformed' } }),

  'POST /v1/auth/nonce': plain,
  'POST /v1/auth/register': () => ({ json: { email: newEmail() }, provedBy: newKey() }),
  'POST /v1/auth/kdf': ({ owner }) => ({ json: { email: owner.email } }),
  'POST /v1/auth/login': ({ owner }) => ({ json: { email: owner.email }, provedBy: owner.key }),
  'POST /v1/auth/passkey/login': async ({ owner }) => {
    const { body, key } = await addPasskey(owner)
    return { json: { passkey_id: body.passkey_id }, provedBy: key }
  },
  'POST /v1/auth/refresh': async ({ owner }) => ({ json: { refresh_token: (await signIn(owner)).refreshToken } }),
  'POST /v1/auth/login/verify-totp': () => ({
    json: { mfa_token: randomBytes(32).toString('base64url'), code: '000000' },
  }),
  'POST /v1/auth/recover/start': ({ owner }) => ({ json: { email: owner.email } }),
  'POST /v1/auth/recover/finish': ({ owner }) => ({
    json: finishBody(owner.email),
    provedBy: newKey(),
  }),

  'GET /d/{opaque_id}': ofLink,
  'POST /d/{opaque_id}': ({ link }) => ({ params: { opaque_id: link.opaqueId }, json: declaration(newFile()) }),
  'POST /d/{opaque_id}/link/refusals': ({ link }) => ({
    params: { opaque_id: link.opaqueId },
    json: { why: 'no_room' },
  }),
  'PATCH /d/{opaque_id}/{upload_id}': async (person) => ({ ...(await ofSession(person)), ...chunk }),
  'HEAD /d/{opaque_id}/{upload_id}': ofSession,
  'DELETE /d/{opaque_id}/{upload_id}': ofSession,
  'GET /d/{opaque_id}/{upload_id}/receipt': async ({ link }) => {
    const { uploadId } = await land(link, newFile())
    return { params: { opaque_id: link.opaqueId, upload_id: uploadId } }
  },
  'GET /s/{opaque_id}': ofShare,
  'GET /s/{opaque_id}/blob/{hash}': ofShare,
  'HEAD /s/{opaque_id}/blob/{hash}': ofShare,

  'GET /v1/account': plain,
  'GET /v1/auth/sessions': plain,
  'POST /v1/auth/sessions/current/device': async ({ owner, author }) => ({
    token: (await signIn(owner)).token,
    json: { device_id: author.deviceId },
  }),
  'PATCH /v1/auth/sessions/{session_id}': async ({ owner }) => ({
    params: { session_id: sessionIdOf(await signIn(owner)) },
    json: { sealed_name: base64(80) },
  }),
  'DELETE /v1/auth/sessions/{session_id}': async ({ owner }) => ({
    params: { session_id: sessionIdOf(await signIn(owner)) },
  }),
  'POST /v1/passkeys': ({ owner }) => ({
    json: newPasskey({ sealed_name: base64(83) }).body,
    provedBy: owner.key,
  }),
  'GET /v1/passkeys': plain,
  'PATCH /v1/passkeys/{passkey_id}': async ({ owner }) => ({
    params: { passkey_id: (await addPasskey(owner)).body.passkey_id },
    json: { sealed_name: base64(84) },
  }),
  'DELETE /v1/passkeys/{passkey_id}': async ({ owner }) => ({
    params: { passkey_id: (await addPasskey(owner)).body.passkey_id },
  }),
  'POST /v1/devices': () => ({ json: { device_id: randomUUID(), public_key: base64(1984), mac: base64(32) } }),
  'GET /v1/devices': plain,
  'PATCH /v1/devices/{device_id}': async ({ owner }) => ({
    params: { device_id: (await addDevice(owner)).deviceId },
    json: { sealed_name: base64(81) },
  }),
  'DELETE /v1/devices/{device_id}': async ({ owner }) => ({
    params: { device_id: (await addDevice(owner)).deviceId },
  }),
  'POST /v1/channels': () => ({ json: { kind: 'webhook', address: 'https://hooks.example/' } }),
  'GET /v1/channels': plain,
  'POST /v1/channels/{channel_id}/confirm': () => ({
    params: { channel_id: randomUUID() },
    json: { code: '01234567' },
  }),
  'POST /v1/channels/{channel_id}/test': () => ({ params: { channel_id: randomUUID() } }),
  'DELETE /v1/channels/{channel_id}': () => ({ params: { channel_id: randomUUID() } }),
  'POST /v1/albums': () => ({ json: { album_id: randomUUID(), sealed_name: base64(80) } }),
  'GET /v1/albums': plain,
  'PATCH /v1/albums/{album_id}': ({ author }) => ({
    params: { album_id: author.albumId },
    json: { sealed_name: base64(85) },
  }),
  'DELETE /v1/albums/{album_id}': async ({ author }) => {
    const album_id = randomUUID()
    await sendJson(author.owner, '/v1/albums', { album_id })
    return { params: { album_id } }
  },
  'POST /v1/albums/{album_id}/capabilities': ({ author }) => ({
    params: { album_id: author.albumId },
    json: { peer: 'https://peer.example', expires_at: inOneHour() },
  }),
  'GET /v1/albums/{album_id}/capabilities': ofAlbum,
  'DELETE /v1/albums/{album_id}/capabilities/{jti}': async (person) => ({
    params: { album_id: person.author.albumId, jti: await newCapability(person) },
  }),
  'POST /v1/upload': ({ author }) => ({ json: uploadBody(newBundle(author)) }),
  'GET /v1/upload/sessions': plain,
  'PATCH /v1/upload/{upload_id}': async (person) => ({ ...(await ofUpload(person)), ...chunk }),
  'HEAD /v1/upload/{upload_id}': ofUpload,
  'DELETE /v1/upload/{upload_id}': ofUpload,
  'POST /v1/assets/retention': ({ asset }) => ({ json: { asset_ids: [asset.assetId], until: inOneHour() } }),
  'GET /v1/assets/{asset_id}': ofAsset,
  'GET /v1/assets/{asset_id}/receipts': ofAsset,
  'GET /v1/sync': plain,
  'GET /v1/events': plain,
  'POST /v1/storage/verify': ({ asset }) => ({
    json: { assets: [{ asset_id: asset.assetId, blob_hashes: [sha256(asset.original)] }] },
  }),
  'GET /v1/blob/{hash}': ofBlob,
  'HEAD /v1/blob/{hash}': ofBlob,
  'GET /v1/quota': plain,
  'POST /v1/shares': ({ asset }) => ({ json: shareOf(asset) }),
  'GET /v1/shares': plain,
  'GET /v1/shares/{opaque_id}': ofShare,
  'PATCH /v1/shares/{opaque_id}': async (person) => ({
    params: { opaque_id: await newShare(person) },
    json: { sealed_name: base64(83) },
  }),
  'DELETE /v1/shares/{opaque_id}': ofShare,
  'POST /v1/drops/links': () => ({ json: linkBody() }),
  'GET /v1/drops/links': plain,
  'PATCH /v1/drops/links/{opaque_id}': ({ link }) => ({
    params: { opaque_id: link.opaqueId },
    json: { max_file_size: 1_000_000 },
  }),
  'DELETE /v1/drops/links/{opaque_id}': async ({ owner }) => ({
    params: { opaque_id: (await provision(owner)).opaqueId },
  }),
  'GET /v1/drops': plain,
  'DELETE /v1/drops': async (person) => ({ query: `?opaque_id=${(await newDrop(person)).opaqueId}` }),
  'GET /v1/drops/{drop_id}/content': ofDrop,
  'HEAD /v1/drops/{drop_id}/content': ofDrop,
  'POST /v1/drops/{drop_id}/adopt': async (person) => {
    const { dropId, file } = await newDrop(person)
    return { params: { drop_id: dropId }, json: adoptBody(newBundle(person.author, { original: file })) }
  },
  'DELETE /v1/drops/{drop_id}': ofDrop,
  'GET /v1/bin': plain,
  'GET /v1/bin/{bin_id}/content/{hash}': ofBinned,
  'POST /v1/bin/{bin_id}/restore': ofBinned,
  'DELETE /v1/bin/{bin_id}': ofBinned,
  'DELETE /v1/bin': plain,
  'DELETE /v1/assets/{asset_id}': async ({ author }) => {
    const asset = newBundle(author)
    await landBlob(asset)
    return { params: { asset_id: asset.assetId } }
  },

  'POST /v1/auth/totp/confirm': () => ({ json: { code: '000000' } }),
  'POST /v1/auth/totp/disable': ({ owner }) => ({ json: { code: '000000' }, provedBy: owner.key }),
  'POST /v1/auth/totp/backup-codes': ({ owner }) => ({ json: { code: '000000' }, provedBy: owner.key }),
  'POST /v1/auth/totp/enroll': ({ owner }) => ({ provedBy: owner.key }),
  'POST /v1/auth/logout': async ({ owner }) => ({ token: (await signIn(owner)).token }),
  'POST /v1/auth/recovery-words': ({ owner, words }) => ({ json: wordsBody(words), provedBy: owner.key }),
  'POST /v1/auth/recovery-words/confirm': async ({ owner, words }) => {
    await changeWords(owner, wordsBody(words))
    return { provedBy: words }
  },
  'POST /v1/auth/password': ({ owner, nextKey }) => ({ json: { sign_in_key: nextKey.shown }, provedBy: owner.key }),
  'DELETE /v1/account': ({ nextKey }) => ({ provedBy: nextKey }),
}
