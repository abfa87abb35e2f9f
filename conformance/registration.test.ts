import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { atOnce, expectAnswer, fingerprint, tally } from './expect.ts'
import { NEEDS_OWN_SERVER, operatedServer } from './server.ts'
import { base64, newEmail, newPassword, type Tokens } from './world.ts'

const WRONG = ['x', 'AAAA-BBBB', '0'.repeat(32)]

interface Invite {
  readonly code: string
  readonly expires_at: string
}

const body = (over: object = {}) => ({ email: newEmail(), password: newPassword(), ...over })
const register = (client: Client, json: unknown, headers = {}) =>
  client.send({ method: 'POST', path: '/v1/auth/register', json, headers })

// Covers: Accounts and sessions
describe('registration by invite', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const { client, operate, log } = await operatedServer({ REGISTRATION: 'invite' })
  const newInvite = async (...options: readonly string[]): Promise<string> => {
    const { code } = (await operate('account', 'invite', ...options)) as Invite
    return code
  }

  it('starts with a code that the first start of the server prints once', async () => {
    const inviteIn = () => /first invite {2}\S+#\/register\?invite=(\S+) until /.exec(log())?.[1]
    // It is made when the server answers already.
    await until(() => inviteIn() !== undefined, 'the first invite')
    const code = inviteIn() ?? ''
    expectAnswer(await register(client, body({ invite: code })), '201')
    assert.equal(log().split(code).length, 2)
    expectAnswer(await register(client, body({ invite: code })), '403 auth.registration_closed')
  })

  it('accepts one account per code, in any typed form', async () => {
    const code = await newInvite('--days', '1')
    assert.ok(code.replaceAll('-', '').length * 5 >= 128, 'at least 128 bits')
    expectAnswer(await register(client, body({ invite: ` ${code.toLowerCase().replaceAll('-', ' ')} ` })), '201')
    expectAnswer(await register(client, body({ invite: code })), '403 auth.registration_closed')
  })

  it('answers the same 403 to a wrong, used or missing code, with a known and an unknown e-mail', async () => {
    const [used, email] = [await newInvite(), newEmail()]
    expectAnswer(await register(client, body({ email, invite: used })), '201')
    const invites = [undefined, null, used, ...WRONG]
    const replies = await Promise.all(
      invites.flatMap((invite) => [email, newEmail()].map((each) => register(client, body({ email: each, invite })))),
    )
    assert.deepEqual(tally(replies), { '403 auth.registration_closed': 2 * invites.length })
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
    expectAnswer(await register(client, body({ invite: '' })), '400 request.malformed')
  })

  it('answers a repeat with the same values and code with the same success', async () => {
    const same = body({ invite: await newInvite(), salt: base64(16) })
    const replies = [...(await atOnce(4, () => register(client, same))), await register(client, same)]
    assert.deepEqual(tally(replies), { 201: 5 })
    assert.equal(new Set(replies.map((reply) => json<Tokens>(reply).account_id)).size, 1)
    expectAnswer(await register(client, { ...same, salt: base64(16) }), '403 auth.registration_closed')
  })

  it('lists the state of each invite for the operator, without its code', async () => {
    const [live, used] = [await newInvite(), await newInvite()]
    const { email, ...rest } = body({ invite: used })
    await register(client, { email, ...rest })
    const { invites } = (await operate('account', 'invites')) as {
      invites: { state: string; used_by?: { email: string } }[]
    }
    assert.deepEqual(
      invites
        .slice(-2)
        .map(({ state, used_by }) => used_by?.email ?? state)
        .toSorted(),
      [email, 'live'].toSorted(),
    )
    for (const code of [live, used]) assert.ok(!JSON.stringify(invites).includes(code.slice(0, 9)))
  })
})

// Covers: Accounts and sessions
describe('registration by default', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return

  it('needs an invite for forwarded requests, and none for local ones', async () => {
    const { client, operate } = await operatedServer()
    const forwarded = { 'x-forwarded-for': '203.0.113.9' }
    expectAnswer(await register(client, body()), '201')
    expectAnswer(await register(client, body(), forwarded), '403 auth.registration_closed')
    const { code } = (await operate('account', 'invite')) as Invite
    expectAnswer(await register(client, body({ invite: code }), forwarded), '201')
  })
})
