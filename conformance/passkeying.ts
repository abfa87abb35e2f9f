/** Passkeys for tests. The server knows of them a proof of 32 bytes, and what it cannot open. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { json, type Reply } from './call.ts'
import type { Client } from './client.ts'
import { asOwner, base64, type Owner } from './world.ts'

export interface Passkey {
  readonly passkey_id: string
  readonly credential_id: string
  readonly sealed_passkey_key: string
  readonly sealed_name?: string
  readonly created_at: string
  readonly last_used_at?: string
}

/** What a client sends of a new passkey, besides the password. */
export interface PasskeyBody extends Record<string, unknown> {
  readonly passkey_id: string
  readonly credential_id: string
  readonly proof: string
  readonly sealed_passkey_key: string
}

export function passkeyBody(over: object = {}): PasskeyBody {
  return {
    passkey_id: randomUUID(),
    credential_id: base64(20),
    proof: base64(32),
    sealed_passkey_key: base64(1200),
    ...over,
  }
}

export function sendPasskey({ client, token, password }: Owner, body: object): Promise<Reply> {
  const sent = { current_password: password, ...body }
  return client.send({ method: 'POST', path: '/v1/passkeys', token, json: sent })
}

export async function addPasskey(owner: Owner, over: object = {}): Promise<PasskeyBody> {
  const body = passkeyBody(over)
  assert.equal((await sendPasskey(owner, body)).status, 201)
  return body
}

export function signInWith(
  client: Client,
  { passkey_id, proof }: Pick<PasskeyBody, 'passkey_id' | 'proof'>,
  over: object = {},
): Promise<Reply> {
  return client.send({ method: 'POST', path: '/v1/auth/passkey/login', json: { passkey_id, proof, ...over } })
}

export async function passkeysOf(owner: Owner): Promise<readonly Passkey[]> {
  return json<{ passkeys: Passkey[] }>(await asOwner(owner, 'GET', '/v1/passkeys')).passkeys
}
