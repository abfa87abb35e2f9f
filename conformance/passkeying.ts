/** Passkeys for tests. The server knows of them the hash of a key, and what it cannot open. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { json, type Reply } from './call.ts'
import type { Client } from './client.ts'
import { type Key, newKey, sendProved } from './proving.ts'
import { asOwner, base64, type Owner } from './world.ts'

export interface Passkey {
  readonly passkey_id: string
  readonly credential_id: string
  readonly sealed_passkey_key: string
  readonly sealed_name?: string
  readonly created_at: string
  readonly last_used_at?: string
}

/** What a client sends of a new passkey, besides the proof of the sign-in key. */
export interface PasskeyBody extends Record<string, unknown> {
  readonly passkey_id: string
  readonly credential_id: string
  readonly passkey_key: string
  readonly sealed_passkey_key: string
}

/** A passkey as its owner has it. */
export interface Held {
  readonly body: PasskeyBody
  readonly key: Key
}

export function newPasskey(over: object = {}): Held {
  const key = newKey()
  const body = {
    passkey_id: randomUUID(),
    credential_id: base64(20),
    passkey_key: key.shown,
    sealed_passkey_key: base64(1200),
    ...over,
  }
  return { body, key }
}

export function sendPasskey({ client, token, key }: Owner, body: object): Promise<Reply> {
  return sendProved(client, key, { method: 'POST', path: '/v1/passkeys', token, json: body })
}

export async function addPasskey(owner: Owner, over: object = {}): Promise<Held> {
  const passkey = newPasskey(over)
  assert.equal((await sendPasskey(owner, passkey.body)).status, 201)
  return passkey
}

export function signInWith(client: Client, { body, key }: Held, over: object = {}): Promise<Reply> {
  const json = { passkey_id: body.passkey_id, ...over }
  return sendProved(client, key, { method: 'POST', path: '/v1/auth/passkey/login', json })
}

export async function passkeysOf(owner: Owner): Promise<readonly Passkey[]> {
  return json<{ passkeys: Passkey[] }>(await asOwner(owner, 'GET', '/v1/passkeys')).passkeys
}
