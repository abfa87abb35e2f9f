import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { json } from './call.ts'
import { atOnce, expectAnswer, fingerprint, tally } from './expect.ts'
import { NEEDS_OWN_SERVER, newServer, operatedServer } from './server.ts'
import { base64, newCredentials, newEmail, register, type Tokens } from './world.ts'

const WRONG = ['x', 'AAAA-BBBB', '0'.repeat(32)]

interface Invite {
  readonly code: string
  readonly expires_at: string
}

// Covers: Accounts and sessions
describe('registration by invite', { skip: NEEDS_OWN_SERVER }, async () => {
  if (NEEDS_OWN_SERVER) return
  const { client, operate, log } = await newServer({ REGISTRATION: 'invite' })
  const newInvite = async (...options: readonly string[]): Promise<string> => {
    const { code } = (await operate('account', 'invite', ...options)) as Invite
    return code
  }

  it('starts with a code that the first start of the server prints once', async () => {
    const inviteIn = () => /first invite {2}\S+#\/register\?invite=(\S+) until /.exec(log())?.[1]
    // It is made when the server answers already.
    await until(() => inviteIn() !== undefined, 'the first invite')
    const code = inviteIn() ?? ''
    expectAnswer(await register(newCredentials(client), { invite: code }), '201')
    assert.equal(log().split(code).length, 2)
    expectAnswer(await register(newCredentials(client), { invite: code }), '403 auth.registration_closed')
  })

  it('accepts one account per code, in any typed form', async () => {
    const code = await newInvite('--days', '1')
    assert.ok(code.replaceAll('-', '').length * 5 >= 128, 'at least 128 bits')
    expectAnswer(
      await register(newCredentials(client), { invite: ` ${code.toLowerCase().replaceAll('-', ' ')} ` }),
      '201',
    )
    expectAnswer(await register(newCredentials(client), { invite: code }), '403 auth.registration_closed')
  })

  it('answers the same 403 to a wrong, used or missing code, with a known and an unknown e-mail', async () => {
    const [used, who] = [await newInvite(), newCredentials(client)]
    expectAnswer(await register(who, { invite: used }), '201')
    const invites = [undefined, null, used, ...WRONG]
    const replies = await Promise.all(
      invites.flatMap((invite) =>
        [who.email, newEmail()].map((email) => register({ ...newCredentials(client), email }, { invite })),
      ),
    )
    assert.deepEqual(tally(replies), { '403 auth.registration_closed': 2 * invites.length })
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
    expectAnswer(await register(newCredentials(client), { invite: '' }), '400 request.malformed')
  })

  it('answers a repeat with the same values and code with the same success', async () => {
    const who = newCredentials(client)
    const same = { invite: await newInvite(), salt: base64(16) }
    const replies = [...(await atOnce(4, () => register(who, same))), await register(who, same)]
    assert.deepEqual(tally(replies), { 201: 5 })
    assert.equal(new Set(replies.map((reply) => json<Tokens>(reply).account_id)).size, 1)
    expectAnswer(await register(who, { ...same, salt: base64(16) }), '403 auth.registration_closed')
  })

  it('lists the state of each invite for the operator, without its code', async () => {
    const [live, used] = [await newInvite(), await newInvite()]
    const who = newCredentials(client)
    await register(who, { invite: used })
    const { invites } = (await operate('account', 'invites')) as {
      invites: { state: string; used_by?: { email: string } }[]
    }
    assert.deepEqual(
      invites
        .slice(-2)
        .map(({ state, used_by }) => used_by?.email ?? state)
        .toSorted(),
      [who.email, 'live'].toSorted(),
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
    expectAnswer(await register(newCredentials(client)), '201')
    expectAnswer(await register(newCredentials(client), {}, forwarded), '403 auth.registration_closed')
    const { code } = (await operate('account', 'invite')) as Invite
    expectAnswer(await register(newCredentials(client), { invite: code }, forwarded), '201')
  })
})
