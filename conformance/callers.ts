/** Tokens that are no longer valid, each created in the regular way. */
import assert from 'node:assert/strict'
import { addDevice } from './assetWorld.ts'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { asOwner, type Owner, signIn, signUp, type Tokens } from './world.ts'

/** Of a session that was logged out. */
export async function endedToken(owner: Owner): Promise<string> {
  const session = await signIn(owner)
  assert.equal((await asOwner(session, 'POST', '/v1/auth/logout')).status, 204)
  return session.token
}

/** Of a session whose device was revoked. */
export async function revokedToken(owner: Owner): Promise<string> {
  const { deviceId } = await addDevice(owner)
  const { client, email, password } = owner
  const body = { email, password, device_id: deviceId }
  const reply = await client.send({ method: 'POST', path: '/v1/auth/login', json: body })
  assert.equal((await asOwner(owner, 'DELETE', `/v1/devices/${deviceId}`)).status, 204)
  return json<Tokens>(reply).access_token
}

/** Of a deleted account. */
export async function deletedAccountToken(client: Client): Promise<string> {
  const { token, password } = await signUp(client)
  const body = { current_password: password }
  const reply = await client.send({ method: 'DELETE', path: '/v1/account', token, json: body })
  assert.equal(reply.status, 204)
  return token
}
