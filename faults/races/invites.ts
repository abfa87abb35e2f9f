/** Many registrations with the same invite, some of them repeated. */
import assert from 'node:assert/strict'
import { answerOf, tally } from '../../conformance/expect.ts'
import { proved } from '../../conformance/proving.ts'
import { newCredentials } from '../../conformance/world.ts'
import { RACERS, type Race, race, times } from './race.ts'

/** Makes a server that is open to its own machine require an invite. */
const FROM_ELSEWHERE = { 'x-forwarded-for': '203.0.113.9' }

const invites: Race = {
  name: 'invite',
  weight: 5,
  async round({ client, random, operate }) {
    const { code } = (await operate('account', 'invite')) as { readonly code: string }
    const people = random.pick([RACERS, RACERS / 2, RACERS / 8])
    const calls = await Promise.all(
      Array.from({ length: people }, () => {
        const { email, key } = newCredentials(client)
        const call = { method: 'POST', path: '/v1/auth/register', json: { email, invite: code } }
        return proved(client, key, { ...call, headers: FROM_ELSEWHERE })
      }),
    )
    const replies = await race(
      random,
      times(RACERS, (index) => client.send(calls[index % people] ?? assert.fail())),
    )
    const each = RACERS / people
    assert.deepEqual(tally(replies), { 201: each, '403 auth.registration_closed': RACERS - each })
    const winners = new Set(replies.flatMap((reply, index) => (answerOf(reply) === '201' ? [index % people] : [])))
    assert.equal(winners.size, 1, 'only repeats of one registration win')
    return `one of ${people}`
  },
}

export const INVITE_RACES: readonly Race[] = [invites]
