/** Shares for tests: what an owner sends, and what a visitor asks for. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type Author, landBlob, newBundle, sendJson } from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import type { Client } from './client.ts'
import { answerOf, expectAnswer } from './expect.ts'
import { asOwner, base64, newOpaqueId, type Owner, sha256 } from './world.ts'

export const SHARED_BYTES = 1000

export const shareBody = (over: object = {}) => ({
  opaque_id: newOpaqueId(),
  sealed_index: base64(100),
  blob_hashes: [sha256(randomBytes(1))],
  ...over,
})

export function makeShare(owner: Owner, body: object, headers: Record<string, string> = {}): Promise<Reply> {
  return sendJson(owner, '/v1/shares', body, headers)
}

interface ListedShare {
  readonly opaque_id: string
  readonly created_at: string
  readonly expires_at?: string
  readonly passphrase_required?: boolean
  readonly sealed_name?: string
  readonly sealed_record?: string
  readonly opened?: number
  readonly downloaded?: number
  readonly last_at?: string
  readonly max_downloads?: number
}

export async function sharesOf(owner: Owner): Promise<readonly ListedShare[]> {
  return json<{ shares: ListedShare[] }>(await asOwner(owner, 'GET', '/v1/shares')).shares
}

export function nameShare({ client, token }: Owner, opaqueId: string, body: object): Promise<Reply> {
  return client.send({ method: 'PATCH', path: `/v1/shares/${opaqueId}`, token, json: body })
}

export function endShare(owner: Owner, opaqueId: string): Promise<Reply> {
  return asOwner(owner, 'DELETE', `/v1/shares/${opaqueId}`)
}

export interface Shared {
  readonly client: Client
  readonly author: Author
  readonly opaqueId: string
  readonly file: Buffer
  readonly hash: string
  readonly assetId: string
}

/** A share of one file, which the author has uploaded. */
export async function share(author: Author, over: object = {}, file = randomBytes(SHARED_BYTES)): Promise<Shared> {
  const bundle = newBundle(author, { original: file })
  await landBlob(bundle)
  const body = shareBody({ blob_hashes: [sha256(file)], ...over })
  expectAnswer(await makeShare(author.owner, body), '201')
  const { client } = author.owner
  return { client, author, opaqueId: body.opaque_id, file, hash: sha256(file), assetId: bundle.assetId }
}

type From = Pick<Shared, 'client' | 'opaqueId'>

/** A visitor's request for the index. */
export function visitShare({ client, opaqueId }: From, headers: Record<string, string> = {}): Promise<Reply> {
  return client.send({ method: 'GET', path: `/s/${opaqueId}`, headers })
}

/** A visitor's request for the blob. */
export function readShare(
  { client, opaqueId, hash }: From & Pick<Shared, 'hash'>,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Reply> {
  return client.send({ method, path: `/s/${opaqueId}/blob/${hash}`, headers })
}

/** `200 200`: the answers for the index and the blob. HEAD must answer the same. */
export async function shownBy(shared: Shared): Promise<string> {
  const [index, blob] = [await visitShare(shared), await readShare(shared)]
  assert.equal((await readShare(shared, {}, 'HEAD')).status, blob.status)
  return `${answerOf(index)} ${answerOf(blob)}`
}
