/** Requests of the second factor. */
import assert from 'node:assert/strict'
import { type Authenticator, createAuthenticator } from '../testing/authenticator.ts'
import { json, type Reply } from './call.ts'
import type { Client } from './client.ts'
import { answerOf } from './expect.ts'
import { sendProved } from './proving.ts'
import { logIn, type Owner } from './world.ts'

export interface Challenge {
  readonly mfa_token: string
  readonly expires_at: string
}

/** An owner whose second factor is on. */
export interface Guarded {
  readonly owner: Owner
  readonly authenticator: Authenticator
  readonly backupCodes: readonly string[]
}

type Step = 'enroll' | 'confirm' | 'disable' | 'backup-codes'

export function totp({ client, token }: Owner, step: Step, body: unknown): Promise<Reply> {
  return client.send({ method: 'POST', path: `/v1/auth/totp/${step}`, token, json: body })
}

/** The same, with a proof of the sign-in key. */
export function provedTotp({ client, token, key }: Owner, step: Step, members: object = {}): Promise<Reply> {
  return sendProved(client, key, { method: 'POST', path: `/v1/auth/totp/${step}`, token, json: members })
}

export async function enroll(owner: Owner): Promise<Authenticator> {
  const reply = await provedTotp(owner, 'enroll')
  assert.equal(answerOf(reply), '200')
  return createAuthenticator(json<{ provisioning_uri: string }>(reply).provisioning_uri)
}

/** Uses up one code of the authenticator. One more is valid in the same half minute. */
export async function turnOn(owner: Owner): Promise<Guarded> {
  return confirm(owner, await enroll(owner))
}

export async function confirm(owner: Owner, authenticator: Authenticator): Promise<Guarded> {
  const reply = await totp(owner, 'confirm', { code: authenticator.next() })
  assert.equal(answerOf(reply), '200')
  return { owner, authenticator, backupCodes: json<{ backup_codes: string[] }>(reply).backup_codes }
}

export async function challengeOf(owner: Owner): Promise<Challenge> {
  const reply = await logIn(owner)
  assert.equal(answerOf(reply), '202')
  return json<Challenge>(reply)
}

export function answer(client: Client, { mfa_token }: Pick<Challenge, 'mfa_token'>, code: string): Promise<Reply> {
  return client.send({ method: 'POST', path: '/v1/auth/login/verify-totp', json: { mfa_token, code } })
}
