/** Sends every kind of secret: each operation with a valid request, and with many invalid ones. */
import assert from 'node:assert/strict'
import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import { type Call, json } from './call.ts'
import type { Client } from './client.ts'
import { expectAnswer } from './expect.ts'
import { MATRIX } from './matrix.ts'
import { personFrom, prepare } from './matrixCalls.ts'
import { type Key, newKey } from './proving.ts'
import { finish, finishBody, newRecoverable, start } from './recovering.ts'
import { answer, challengeOf, provedTotp, turnOn } from './secondFactor.ts'
import {
  append,
  base64,
  declaration,
  newCredentials,
  type Owner,
  provision,
  register,
  sendDeclaration,
  sessionOf,
  signUp,
} from './world.ts'

/** `invite` is an unused code. */
export async function recordExchanges(client: Client, invite: string): Promise<void> {
  await registerByInvite(client, invite)
  await useProtectedLink(await signUp(client))
  await recover(client)
  await useSecondFactor(await signUp(client))
  await useChannels(await signUp(client))
  await sendEveryOperation(client)
}

/** A request through a proxy needs an invite, unless the operator has opened registration. */
async function registerByInvite(client: Client, invite: string): Promise<void> {
  const headers = { 'x-forwarded-for': '192.0.2.1' }
  const sent = (given: string) => register(newCredentials(client), { invite: given }, headers)
  expectAnswer(await sent(`${invite}0`), '403 auth.registration_closed')
  expectAnswer(await sent(invite), '201')
  expectAnswer(await sent(invite), '403 auth.registration_closed')
}

async function useProtectedLink(owner: Owner): Promise<void> {
  const verifier = base64(32)
  const link = await provision(owner, {
    passphrase_verifier: verifier,
    sealed_label: base64(80),
    sealed_title: base64(81),
  })
  const file = randomBytes(60)
  const sent = (over: object) =>
    sendDeclaration(link, declaration(file, { suggested_filename: `${base64(32)}.pdf`, ...over }), {
      'idempotency-key': base64(32),
    })
  expectAnswer(await sent({ passphrase_proof: base64(32) }), '403 drop.passphrase_required')
  expectAnswer(await sent({ passphrase_proof: `${verifier}!` }), '400 request.malformed')
  const reply = await sent({ passphrase_proof: verifier })
  expectAnswer(reply, '201')
  expectAnswer(await append(sessionOf(link, file, reply)), '204')
}

/** Nothing listens at their addresses, whose paths are secrets. */
async function useChannels({ client, token }: Owner): Promise<void> {
  const post = (path: string, body?: unknown) =>
    client.send({ method: 'POST', path, token, ...(body !== undefined && { json: body }) })
  const address = () => `http://127.0.0.1:9/${randomBytes(16).toString('base64url')}`
  expectAnswer(await post('/v1/channels', { kind: 'ntfy', address: address(), token: base64(32) }), '201')
  expectAnswer(
    await post('/v1/channels', { kind: 'webhook', address: address(), token: base64(32) }),
    '400 channel.invalid',
  )
  const browser = () => ({
    kind: 'push',
    address: address(),
    p256dh: createECDH('prime256v1').generateKeys('base64'),
    auth: base64(16),
    channel_id: randomUUID(),
    sealed_name: base64(60),
  })
  expectAnswer(await post('/v1/channels', browser()), '201')
  expectAnswer(await post('/v1/channels', { ...browser(), kind: 'webhook' }), '400 channel.invalid')
  const added = await post('/v1/channels', { kind: 'webhook', address: address() })
  expectAnswer(added, '201')
  const { channel } = json<{ channel: { channel_id: string } }>(added)
  expectAnswer(await post(`/v1/channels/${channel.channel_id}/test`), '200')
  expectAnswer(await post(`/v1/channels/${channel.channel_id}/confirm`, { code: '01234567' }), '200')
}

/** Also one that waits for a code. */
async function recover(client: Client): Promise<void> {
  const { owner, words } = await newRecoverable(client)
  const sent = (key: Key) => finish(client, finishBody(owner.email, { salt: base64(16) }), key)
  expectAnswer(await start(client, owner.email), '200')
  expectAnswer(await sent(newKey()), '401 auth.recovery_invalid')
  expectAnswer(await sent(words), '200')
  const guarded = await newRecoverable(client)
  await turnOn(guarded.owner)
  expectAnswer(await finish(client, finishBody(guarded.owner.email, { salt: base64(16) }), guarded.words), '202')
}

/** Signs in with a second factor, by backup codes. */
async function useSecondFactor(owner: Owner): Promise<void> {
  const { client } = owner
  const [first = '', second = ''] = (await turnOn(owner)).backupCodes
  const challenge = await challengeOf(owner)
  expectAnswer(await answer(client, challenge, `${first}X`), '401 auth.totp_invalid_code')
  expectAnswer(await answer(client, challenge, first), '200')
  const renewed = await provedTotp(owner, 'backup-codes', { code: second })
  const [code] = json<{ backup_codes: readonly string[] }>(renewed).backup_codes
  expectAnswer(await provedTotp(owner, 'disable', { code }), '204')
}

async function sendEveryOperation(client: Client): Promise<void> {
  const declared = client.document.operations.map(({ name }) => name)
  const values = { kdf_version: 1, salt: base64(16), sealed_account_key: base64(60) }
  const person = await personFrom(await signUp(client, values))
  for (const name of Object.keys(MATRIX).filter((each) => declared.includes(each))) {
    const { call, token = person.owner.token } = await prepare(name, person)
    for (const wrong of invalidVariants({ ...call, token })) assert.ok((await client.send(wrong)).status < 500, name)
    await client.send({ ...call, token })
  }
}

/** Invalid forms of a call with its secrets: secrets in wrong places, and a fault for each gate. */
function invalidVariants(call: Call): readonly Call[] {
  const { method, path, token = '', json: body } = call
  const query = `${path}${path.includes('?') ? '&' : '?'}access_token=${token}`
  const calls: Call[] = [
    { ...call, token: `${token}x` },
    { ...call, headers: { ...call.headers, authorization: token } },
    { ...call, headers: { ...call.headers, 'x-service-protocol': token, 'x-request-id': token } },
    { ...call, path: `${path}/${token.slice(-40)}` },
  ]
  if (!path.startsWith('/v1/version')) calls.push({ ...call, path: query, token: undefined })
  if (/[0-9a-f]{32}/.test(path))
    calls.push({ method, path: `${path}0`, token }, { method, path: path.toUpperCase(), token })
  if (body === undefined) return calls
  const text = JSON.stringify(body)
  const changed = (change: (value: string) => unknown) =>
    JSON.parse(text, (_, value) => (typeof value === 'string' ? change(value) : value))
  const asJson = { 'content-type': 'application/json' }
  return [
    ...calls,
    { ...call, json: { ...changed(String), [text.slice(2, 40)]: token } },
    { ...call, json: changed((value) => [value]) },
    { ...call, json: changed((value) => `${value}\u0000`) },
    { method, path, token, body: text.slice(0, -1), headers: asJson },
    { method, path, token, body: `${text.slice(0, -1)},${text.slice(1)}`, headers: asJson },
    { method, path, token, body: text, headers: { 'content-type': 'text/plain' } },
  ]
}
