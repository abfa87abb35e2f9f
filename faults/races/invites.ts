/** Many who come with the same invite, some of them more than once. */
import assert from 'node:assert/strict'
import { said, tally } from '../../conformance/expect.ts'
import { newEmail, newPassword } from '../../conformance/world.ts'
import { MANY, type Race, race, times } from './race.ts'

/** By which a server that is open on its own machine asks for an invite all the same. */
const FROM_ELSEWHERE = { 'x-forwarded-for': '203.0.113.9' }

const invites: Race = {
  name: 'invite',
  async round({ client, random, operate }) {
    const { code } = (await operate('account', 'invite')) as { readonly code: string }
    const people = random.pick([MANY, MANY / 2, MANY / 8])
    const bodies = Array.from({ length: people }, () => ({ email: newEmail(), password: newPassword(), invite: code }))
    const register = (json: unknown) =>
      client.send({ method: 'POST', path: '/v1/auth/register', json, headers: FROM_ELSEWHERE })
    const replies = await race(
      random,
      times(MANY, (index) => register(bodies[index % people])),
    )
    const each = MANY / people
    assert.deepEqual(tally(replies), { 201: each, '403 auth.registration_closed': MANY - each })
    const winners = new Set(replies.flatMap((reply, index) => (said(reply) === '201' ? [index % people] : [])))
    assert.equal(winners.size, 1, 'one person, however often')
    return `one of ${people}`
  },
}

export const INVITE_RACES: readonly Race[] = [invites]
