/** Accounts, albums and links, made over HTTP before the measurement. */
import { randomBytes, randomUUID } from 'node:crypto'
import { type Key, newKey } from '../conformance/proving.ts'
import { provedBody } from '../testing/proving.ts'
import type { RunningServer } from '../testing/startServer.ts'

export interface Owner {
  readonly accountId: string
  readonly token: string
}

interface Credentials {
  readonly email: string
  readonly key: Key
}

export const newCredentials = (): Credentials => ({ email: `${randomUUID()}@example.org`, key: newKey() })

type Address = Pick<RunningServer, 'url'>

export async function newOwner({ url }: Address, credentials: Credentials = newCredentials()): Promise<Owner> {
  const { email, key } = credentials
  const body = await provedBody(url, '/v1/auth/register', { members: { email }, key })
  const answer = await post<{ account_id: string; access_token: string }>(`${url}/v1/auth/register`, body)
  return { accountId: answer.account_id, token: answer.access_token }
}

export async function newAlbum({ url }: Address, { token }: Owner): Promise<string> {
  const albumId = randomUUID()
  await post(`${url}/v1/albums`, { album_id: albumId }, token)
  return albumId
}

/** Returns the opaque id of a link without caps. */
/** `caps`: none without them. */
export async function newLink({ url }: Address, { token }: Owner, caps: object = {}): Promise<string> {
  const opaqueId = randomBytes(16).toString('hex')
  const key = { drop_pubkey: randomBytes(1216).toString('base64'), crypto_suite_id: 1 }
  await post(`${url}/v1/drops/links`, { opaque_id: opaqueId, ...key, ...caps }, token)
  return opaqueId
}

async function post<Body>(url: string, body: unknown, token?: string): Promise<Body> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'content-type': 'application/json', ...authorization }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`a set-up request was answered ${answer.status} ${text}`)
  // The caller names the type that the interface promises.
  return JSON.parse(text)
}
