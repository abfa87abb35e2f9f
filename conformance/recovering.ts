/** Accounts with recovery words. The server knows of them a proof of 32 bytes, and a sealed key that it cannot open. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Reply } from './call.ts'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { base64, newEmail, newPassword, type Owner, type Tokens } from './world.ts'

/** Format, salt, commitment, number of header blocks; a header block and 32 bytes, each with its tag. */
export const SEALED_KEY_BYTES = 1 + 16 + 32 + 1 + (1024 + 16) + (32 + 16)

interface Recoverable {
  readonly owner: Owner
  readonly proof: string
  readonly salt: string
  readonly sealedAccountKey: string
  readonly sealedRecoveryKey: string
}

/** Random bytes in the visible form of a key that a client has sealed. */
export function sealedKey(): string {
  const sealed = randomBytes(SEALED_KEY_BYTES)
  sealed[0] = 1
  sealed[49] = 1
  return sealed.toString('base64')
}

export async function newRecoverable(client: Client): Promise<Recoverable> {
  const [email, password, salt, proof] = [newEmail(), newPassword(), base64(16), base64(32)]
  const [sealedAccountKey, sealedRecoveryKey] = [sealedKey(), sealedKey()]
  const reply = await client.send({
    method: 'POST',
    path: '/v1/auth/register',
    json: {
      email,
      password,
      kdf_version: 1,
      salt,
      sealed_account_key: sealedAccountKey,
      sealed_recovery_key: sealedRecoveryKey,
      recovery_proof: proof,
    },
  })
  assert.equal(reply.status, 201)
  const { account_id: accountId, access_token: token, refresh_token: refreshToken } = json<Tokens>(reply)
  const owner = { client, email, password, accountId, token, refreshToken }
  return { owner, proof, salt, sealedAccountKey, sealedRecoveryKey }
}

export function start(client: Client, email: string): Promise<Reply> {
  return client.send({ method: 'POST', path: '/v1/auth/recover/start', json: { email } })
}

export function finishBody(email: string, over: object = {}): Record<string, unknown> {
  return { email, recovery_proof: base64(32), password: newPassword(), ...over }
}

export function finish(client: Client, body: unknown): Promise<Reply> {
  return client.send({ method: 'POST', path: '/v1/auth/recover/finish', json: body })
}
