/**
 * Accounts, links and drops for tests. Each test creates its own, so that no test depends on another.
 * A drop is random bytes with the right hash, because the server cannot read sealed ones either.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../testing/until.ts'
import { json, type Reply } from './call.ts'
import type { Client } from './client.ts'
import { type Key, newKey, sendProved } from './proving.ts'

export const OCTETS = 'application/octet-stream'
/** Fixed by suite 1. */
export const KEM_CT_BYTES = 1120
export const MIB = 1024 * 1024

export interface Owner {
  readonly client: Client
  readonly email: string
  /** The sign-in key: what a client derives from the password. */
  readonly key: Key
  readonly accountId: string
  readonly token: string
  readonly refreshToken: string
}

export interface Link {
  readonly owner: Owner
  readonly opaqueId: string
}

/** The upload session of a guest. */
export interface Session {
  readonly client: Client
  readonly opaqueId: string
  readonly uploadId: string
  readonly file: Buffer
}

/** The upload session of an account, for a blob of an asset. */
export interface OwnSession {
  readonly client: Client
  readonly token: string
  readonly uploadId: string
  readonly file: Buffer
}

/** Both kinds take chunks in the same way (specification, Append one chunk). */
export type AnySession = Session | OwnSession

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: string
  readonly expires_at: string
  readonly account_id: string
}

export interface InboxEntry {
  readonly drop_id: string
  readonly opaque_id: string
  readonly ciphertext_hash: string
  readonly size: number
  readonly content_type: string
  readonly kem_ct: string
  readonly suggested_filename?: string
  readonly received_at: string
  readonly adopting: boolean
  readonly withheld?: string
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
export const base64 = (bytes: number) => randomBytes(bytes).toString('base64')
export const newOpaqueId = () => randomBytes(16).toString('hex')
export const newEmail = () => `${randomBytes(8).toString('hex')}@conformance.example`

/** What a person signs in with. */
export type Credentials = Pick<Owner, 'client' | 'email' | 'key'>

export const newCredentials = (client: Client): Credentials => ({ client, email: newEmail(), key: newKey() })

export function register({ client, email, key }: Credentials, over: object = {}, headers = {}): Promise<Reply> {
  return sendProved(client, key, { method: 'POST', path: '/v1/auth/register', json: { email, ...over }, headers })
}

export function logIn({ client, email, key }: Credentials, over: object = {}): Promise<Reply> {
  return sendProved(client, key, { method: 'POST', path: '/v1/auth/login', json: { email, ...over } })
}

/** Sets `next` as the sign-in key. The session stays the caller's. */
export function changeKey({ client, key, token }: Owner, next: Key, over: object = {}): Promise<Reply> {
  const json = { sign_in_key: next.shown, ...over }
  return sendProved(client, key, { method: 'POST', path: '/v1/auth/password', token, json })
}

export function deleteAccount({ client, key, token }: Owner, over: object = {}): Promise<Reply> {
  return sendProved(client, key, { method: 'DELETE', path: '/v1/account', token, json: over })
}

export async function signUp(client: Client, over: object = {}): Promise<Owner> {
  const who = newCredentials(client)
  const reply = await register(who, over)
  assert.equal(reply.status, 201)
  return ownerOf(who, reply)
}

/** Another session of the same account. */
export async function signIn(owner: Credentials): Promise<Owner> {
  const reply = await logIn(owner)
  assert.equal(reply.status, 200)
  return ownerOf(owner, reply)
}

export function ownerOf({ client, email, key }: Credentials, reply: Reply): Owner {
  const { account_id: accountId, access_token: token, refresh_token: refreshToken } = json<Tokens>(reply)
  return { client, email, key, accountId, token, refreshToken }
}

export function linkBody(over: object = {}): Record<string, unknown> {
  return { opaque_id: newOpaqueId(), drop_pubkey: base64(1216), crypto_suite_id: 1, single_use: false, ...over }
}

export function sendLink(owner: Owner, body: unknown): Promise<Reply> {
  return owner.client.send({ method: 'POST', path: '/v1/drops/links', token: owner.token, json: body })
}

export async function provision(owner: Owner, over: object = {}): Promise<Link> {
  const body = linkBody(over)
  const reply = await sendLink(owner, body)
  assert.equal(reply.status, 201)
  return { owner, opaqueId: String(body.opaque_id) }
}

/** A link of a new account. */
export async function newLink(client: Client, over: object = {}): Promise<Link> {
  return provision(await signUp(client), over)
}

export function revoke(link: Link): Promise<Reply> {
  return asOwner(link.owner, 'DELETE', `/v1/drops/links/${link.opaqueId}`)
}

export function declaration(file: Uint8Array, over: object = {}): Record<string, unknown> {
  return {
    content_type: OCTETS,
    size: file.length,
    ciphertext_hash: sha256(file),
    kem_ct: base64(KEM_CT_BYTES),
    ...over,
  }
}

/** Sends exactly this body to create a drop session. */
export function sendDeclaration(link: Link, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  return link.owner.client.send({ method: 'POST', path: `/d/${link.opaqueId}`, json: body, headers })
}

export async function openSession(link: Link, file: Buffer, over: object = {}): Promise<Session> {
  const reply = await sendDeclaration(link, declaration(file, over))
  assert.equal(reply.status, 201)
  return sessionOf(link, file, reply)
}

export function sessionOf(link: Link, file: Buffer, reply: Reply): Session {
  const { upload_id } = json<{ upload_id: string }>(reply)
  return { client: link.owner.client, opaqueId: link.opaqueId, uploadId: upload_id, file }
}

export const sessionPath = (session: AnySession) =>
  'token' in session ? `/v1/upload/${session.uploadId}` : `/d/${session.opaqueId}/${session.uploadId}`
/** The token for the requests of a session; a guest has none. */
export const tokenOf = (session: AnySession) => ('token' in session ? session.token : undefined)

export function chunkHeaders(offset: number | string, chunk: Uint8Array): Record<string, string> {
  return { 'content-type': OCTETS, 'x-service-offset': String(offset), 'x-service-checksum': sha256(chunk) }
}

/** Sends the bytes of the file from `start` to `end` (exclusive) as one chunk. */
export function append(session: AnySession, start = 0, end = session.file.length): Promise<Reply> {
  return appendBytes(session, start, session.file.subarray(start, end))
}

export function appendBytes(
  session: AnySession,
  offset: number,
  chunk: Uint8Array,
  headers: object = {},
): Promise<Reply> {
  return session.client.send({
    method: 'PATCH',
    path: sessionPath(session),
    token: tokenOf(session),
    body: chunk,
    headers: { ...chunkHeaders(offset, chunk), ...headers },
  })
}

export interface SessionState {
  readonly status: number
  readonly offset: number
  readonly length: number
  readonly state: string
}

export async function stateOf(session: AnySession): Promise<SessionState> {
  const call = { method: 'HEAD', path: sessionPath(session), token: tokenOf(session) }
  const { status, headers } = await session.client.send(call)
  return {
    status,
    offset: Number(headers['x-service-offset']),
    length: Number(headers['x-service-length']),
    state: String(headers['x-service-state']),
  }
}

export function cancel(session: AnySession): Promise<Reply> {
  return session.client.send({ method: 'DELETE', path: sessionPath(session), token: tokenOf(session) })
}

/** Uploads a file in one chunk. */
export async function land(link: Link, file: Buffer = randomBytes(100), over: object = {}): Promise<Session> {
  const session = await openSession(link, file, over)
  assert.equal((await append(session)).status, 204)
  return session
}

export function asOwner(owner: Owner, method: string, path: string): Promise<Reply> {
  return owner.client.send({ method, path, token: owner.token })
}

export async function inboxOf(owner: Owner): Promise<readonly InboxEntry[]> {
  return json<{ drops: InboxEntry[] }>(await asOwner(owner, 'GET', '/v1/drops')).drops
}

/** The only entry of the inbox. */
export async function onlyDrop(owner: Owner): Promise<InboxEntry> {
  const [drop, ...others] = await inboxOf(owner)
  assert.ok(drop !== undefined && others.length === 0, 'the inbox has exactly one drop')
  return drop
}

interface LinkEntry {
  readonly opaque_id: string
  readonly state: string
  readonly created_at: string
  readonly sealed_label?: string
  readonly sealed_title?: string
  readonly expires_at?: string
  readonly max_total_bytes?: number
  readonly max_file_count?: number
  readonly max_file_size?: number
  readonly single_use: boolean
  readonly passphrase_required: boolean
  readonly landed_files: number
  readonly landed_bytes: number
  readonly open_sessions: number
  readonly open_bytes: number
  readonly pending: number
  readonly refused_drops?: {
    readonly reasons: readonly { readonly why: string; readonly count: number }[]
    readonly first_at: string
    readonly last_at: string
  }
}

export async function linksOf(owner: Owner): Promise<readonly LinkEntry[]> {
  return json<{ links: LinkEntry[] }>(await asOwner(owner, 'GET', '/v1/drops/links')).links
}

/** The link in its owner's list. */
export async function entryOf(link: Link): Promise<LinkEntry> {
  const entry = (await linksOf(link.owner)).find(({ opaque_id }) => opaque_id === link.opaqueId)
  assert.ok(entry !== undefined, 'the link is in its owner’s list')
  return entry
}

/** An end that the next request comes before, also on a busy machine, and that a test can wait for. */
export const soon = () => new Date(Date.now() + 4000).toISOString()

export async function untilExpired(link: Link): Promise<void> {
  await until(
    seldom(async () => (await entryOf(link)).state === 'expired'),
    'the link expires',
  )
}

/** For `until`: about what takes seconds it asks ten times a second. */
export const seldom = (isSo: () => Promise<boolean>) => async () => (await isSo()) || wait(80, false)

export interface GuestView {
  readonly opaque_id: string
  readonly drop_pubkey: string
  readonly crypto_suite_id: number
  readonly protocol_version: string
  readonly content_types: readonly string[]
  readonly sealed_title?: string
  readonly passphrase_required: boolean
  readonly max_file_size?: number
  readonly remaining_bytes?: number
  readonly remaining_files?: number
  readonly inbox_full?: boolean
  readonly expires_at?: string
  readonly single_use?: boolean
  readonly suggested_chunk_size: number
}

export function visit(link: Link): Promise<Reply> {
  return link.owner.client.send({ method: 'GET', path: `/d/${link.opaqueId}` })
}

export async function guestView(link: Link): Promise<GuestView> {
  const reply = await visit(link)
  assert.equal(reply.status, 200)
  return json<GuestView>(reply)
}

export interface Quota {
  readonly used: number
  readonly bin?: number
  readonly soft_limit?: number
  readonly hard_limit?: number
  readonly state: string
}

export async function quotaOf(owner: Owner): Promise<Quota> {
  return json<Quota>(await asOwner(owner, 'GET', '/v1/quota'))
}
