/** Tokens that are no longer valid, each created in the regular way. */
import assert from 'node:assert/strict'
import { addDevice } from './assetWorld.ts'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { asOwner, deleteAccount, logIn, type Owner, signIn, signUp, type Tokens } from './world.ts'

/** Of a session that was logged out. */
export async function endedToken(owner: Owner): Promise<string> {
  const session = await signIn(owner)
  assert.equal((await asOwner(session, 'POST', '/v1/auth/logout')).status, 204)
  return session.token
}

/** Of a session whose device was revoked. */
export async function revokedToken(owner: Owner): Promise<string> {
  const { deviceId } = await addDevice(owner)
  const reply = await logIn(owner, { device_id: deviceId })
  assert.equal((await asOwner(owner, 'DELETE', `/v1/devices/${deviceId}`)).status, 204)
  return json<Tokens>(reply).access_token
}

/** Of a deleted account. */
export async function deletedAccountToken(client: Client): Promise<string> {
  const owner = await signUp(client)
  assert.equal((await deleteAccount(owner)).status, 204)
  return owner.token
}
