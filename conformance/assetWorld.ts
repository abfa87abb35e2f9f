/**
 * Assets for tests: an author with a device and an album, the bundle of one asset, and its blobs. Blobs are random
 * bytes with the right hash, which the server cannot distinguish from sealed ones. Only the provenance has real
 * signatures.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { json, type Reply } from './call.ts'
import type { Client } from './client.ts'
import { type DeviceKeys, newDeviceKeys, signManifest } from './provenanceWriter.ts'
import { append, asOwner, inboxOf, OCTETS, type Owner, type OwnSession, quotaOf, sha256, signUp } from './world.ts'

export const DAY_MS = 86_400_000
const CHUNK_SIZE = 1_048_560

export type Role = 'original' | 'derivative' | 'metadata' | 'provenance'
export type Members = Readonly<Record<string, unknown>>

/** An account that writes assets. */
export interface Author {
  readonly owner: Owner
  readonly keys: DeviceKeys
  readonly deviceId: string
  readonly albumId: string
  /** The newest that the server accepts. */
  readonly protocolVersion: string
}

export async function newAuthor(client: Client): Promise<Author> {
  return authorFrom(await signUp(client))
}

/** Gives an account a device and an album. */
export async function authorFrom(owner: Owner): Promise<Author> {
  const { headers } = await asOwner(owner, 'GET', '/v1/albums')
  const protocolVersion = String(headers['x-service-protocol-max'])
  return { owner, ...(await addDevice(owner)), albumId: await addAlbum(owner), protocolVersion }
}

export async function addDevice(owner: Owner): Promise<{ readonly keys: DeviceKeys; readonly deviceId: string }> {
  const keys = newDeviceKeys()
  const deviceId = randomUUID()
  const body = { device_id: deviceId, public_key: keys.publicKey.toString('base64') }
  assert.equal((await sendJson(owner, '/v1/devices', body)).status, 201)
  return { keys, deviceId }
}

export async function addAlbum(owner: Owner): Promise<string> {
  const album_id = randomUUID()
  assert.equal((await sendJson(owner, '/v1/albums', { album_id })).status, 201)
  return album_id
}

export function sendJson(owner: Owner, path: string, body: unknown, headers: Members = {}): Promise<Reply> {
  const strings = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return owner.client.send({ method: 'POST', path, token: owner.token, json: body, headers: strings })
}

/** An asset of the author's client, before anything is sent. */
export interface Bundle {
  readonly author: Author
  readonly assetId: string
  readonly original: Buffer
  /** The manifest that the provenance signs. Envelopes differ in `ciphertext_hash` alone: their session's blob. */
  readonly manifest: Members
}

interface BundleOptions {
  readonly assetId?: string
  readonly original?: Buffer
  /** Override the derived members; undefined omits one. */
  readonly manifest?: Members
}

export function newBundle(author: Author, options: BundleOptions = {}): Bundle {
  const { assetId = randomUUID(), original = randomBytes(100) } = options
  const manifest = {
    crypto_suite_id: 1,
    protocol_version: author.protocolVersion,
    album_id: author.albumId,
    file_id: assetId,
    amk_version: 1,
    ciphertext_hash: sha256(original),
    plaintext_size: 1,
    chunk_size: CHUNK_SIZE,
    key_mode: 'derived',
    original_blob_hash: sha256(original),
    created_by_user: author.owner.accountId,
    created_by_device: author.deviceId,
    client_version: 'conformance/1',
    timestamp: new Date().toISOString(),
    action: 'create',
    ...options.manifest,
  }
  return { author, assetId, original, manifest }
}

/** The bundle of a new original for the same asset, after this provenance. */
export function successorOf(
  { author, assetId }: Bundle,
  provenance: Buffer | undefined,
  manifest: Members = {},
): Bundle {
  const prior = provenance === undefined ? {} : { prior_provenance_hash: sha256(provenance) }
  return newBundle(author, { assetId, manifest: { action: 'replace', ...prior, ...manifest } })
}

/** The members that uploads and adoptions share. */
function declarationOf({ author, manifest }: Bundle, file: Uint8Array): Record<string, unknown> {
  return {
    album_id: manifest.album_id ?? author.albumId,
    size: file.length,
    hash: sha256(file),
    content_type: OCTETS,
    crypto_suite_id: manifest.crypto_suite_id,
    protocol_version: manifest.protocol_version,
    key_mode: manifest.key_mode,
    manifest_envelope: { ...manifest, ciphertext_hash: sha256(file) },
  }
}

export function uploadBody(
  bundle: Bundle,
  role: Role = 'original',
  file = fileOf(bundle, role),
): Record<string, unknown> {
  return { ...declarationOf(bundle, file), blob_role: role }
}

/** Some bytes for a role. */
function fileOf(bundle: Bundle, role: Role): Buffer {
  if (role === 'original') return bundle.original
  return role === 'provenance' ? provenanceOf(bundle) : randomBytes(role === 'metadata' ? 40 : 20)
}

export const provenanceOf = ({ manifest, author }: Bundle): Buffer => signManifest(manifest, author.keys)

export function sendUpload(author: Author, body: unknown, headers: Members = {}): Promise<Reply> {
  return sendJson(author.owner, '/v1/upload', body, headers)
}

export interface CreatedUpload {
  readonly upload_id: string
  readonly upload_url: string
  readonly suggested_chunk_size: number
}

export async function openUpload(
  bundle: Bundle,
  role: Role = 'original',
  file = fileOf(bundle, role),
): Promise<OwnSession> {
  const reply = await sendUpload(bundle.author, uploadBody(bundle, role, file))
  assert.equal(reply.status, 201, reply.body.toString())
  return ownSessionOf(bundle.author.owner, file, reply)
}

export function ownSessionOf({ client, token }: Owner, file: Buffer, reply: Reply): OwnSession {
  return { client, token, uploadId: json<CreatedUpload>(reply).upload_id, file }
}

/** Uploads one blob and returns its bytes. */
export async function landBlob(bundle: Bundle, role: Role = 'original', file = fileOf(bundle, role)): Promise<Buffer> {
  const reply = await append(await openUpload(bundle, role, file))
  assert.equal(reply.status, 204, reply.body.toString())
  return file
}

export interface Landed {
  readonly metadata: Buffer
  readonly provenance: Buffer
}

/** Uploads the blobs that an asset needs beside its original. */
export async function completeWith(bundle: Bundle): Promise<Landed> {
  return { metadata: await landBlob(bundle, 'metadata'), provenance: await landBlob(bundle, 'provenance') }
}

/** Uploads a complete asset. */
export async function landAsset(bundle: Bundle): Promise<Bundle & Landed> {
  await landBlob(bundle)
  return { ...bundle, ...(await completeWith(bundle)) }
}

export function adoptBody(bundle: Bundle): Record<string, unknown> {
  return { ...declarationOf(bundle, bundle.original), asset_id: bundle.assetId }
}

export function sendAdoption(owner: Owner, dropId: string, body: unknown, headers: Members = {}): Promise<Reply> {
  return sendJson(owner, `/v1/drops/${dropId}/adopt`, body, headers)
}

export interface Asset {
  readonly asset_id: string
  readonly album_id: string
  readonly complete: boolean
  readonly envelope: Members
  readonly blobs: readonly { readonly role: Role; readonly hash: string; readonly size: number }[]
  readonly drop?: {
    readonly drop_id: string
    readonly opaque_id: string
    readonly kem_ct: string
    readonly received_at: string
  }
  readonly created_at: string
  readonly changed_at: string
  readonly retained_until?: string
}

type AssetName = Pick<Bundle, 'author' | 'assetId'>

export const getAsset = ({ author, assetId }: AssetName): Promise<Reply> =>
  asOwner(author.owner, 'GET', `/v1/assets/${assetId}`)

export async function assetOf(bundle: AssetName): Promise<Asset> {
  const reply = await getAsset(bundle)
  assert.equal(reply.status, 200)
  return json<Asset>(reply)
}

/** Role and hash of each blob, in the order of the asset. */
export async function blobNamesOf(bundle: AssetName): Promise<readonly string[]> {
  return (await assetOf(bundle)).blobs.map(({ role, hash }) => `${role} ${hash}`)
}

/** `query` with its question mark. */
export const deleteAsset = ({ author, assetId }: AssetName, query = ''): Promise<Reply> =>
  asOwner(author.owner, 'DELETE', `/v1/assets/${assetId}${query}`)

export interface Receipt {
  readonly receipt_seq: number
  readonly server_id: string
  readonly server_key_id: string
  readonly prior_receipt_hash?: string
  readonly upload_id: string
  readonly blob_role: Role
  readonly ciphertext_hash: string
  readonly size: number
  readonly envelope_hash?: string
  readonly received_at: string
  readonly receipt_cbor: string
}

export const getReceipts = ({ author, assetId }: AssetName): Promise<Reply> =>
  asOwner(author.owner, 'GET', `/v1/assets/${assetId}/receipts`)

export async function receiptsOf(bundle: AssetName): Promise<readonly Receipt[]> {
  const reply = await getReceipts(bundle)
  assert.equal(reply.status, 200)
  const { asset_id, receipts } = json<{ asset_id: string; receipts: Receipt[] }>(reply)
  assert.equal(asset_id, bundle.assetId, 'the answer names the asset')
  return receipts
}

interface OpenUpload {
  readonly upload_id: string
  readonly asset_id?: string
  readonly opaque_id?: string
  readonly size: number
  readonly offset: number
  readonly state: string
  readonly created_at: string
}

export async function uploadsOf(owner: Owner): Promise<readonly OpenUpload[]> {
  return json<{ uploads: OpenUpload[] }>(await asOwner(owner, 'GET', '/v1/upload/sessions')).uploads
}

/** The quota always equals the sum of all blobs, pending drops, open sessions and the bin. Returns it without that. */
export async function expectConsistentQuota(author: Author, assetIds: readonly string[]): Promise<number> {
  const { owner } = author
  const replies = await Promise.all(assetIds.map((assetId) => getAsset({ author, assetId })))
  const blobs = replies.flatMap((reply) => (reply.status === 200 ? json<Asset>(reply).blobs : []))
  const sizes = [...blobs, ...(await inboxOf(owner)), ...(await uploadsOf(owner))].map(({ size }) => size)
  const sum = sizes.reduce((total, size) => total + size, 0)
  const { used, bin = 0 } = await quotaOf(owner)
  assert.equal(used, sum + bin, 'the quota is the sum of assets, drops, open sessions and the bin')
  return sum
}
