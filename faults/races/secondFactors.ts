/** A thief and an owner use one code at the same time: it opens exactly one session. */
import assert from 'node:assert/strict'
import { json } from '../../conformance/call.ts'
import type { Client } from '../../conformance/client.ts'
import { answerOf } from '../../conformance/expect.ts'
import { answer, challengeOf, type Guarded, turnOn } from '../../conformance/secondFactor.ts'
import { asOwner, signUp, type Tokens } from '../../conformance/world.ts'
import { countOf, expectOnly, indexesOf, RACERS, type Race, type Round, race, times } from './race.ts'

const WRONG = '401 auth.totp_invalid_code'
const ENDED = '401 auth.totp_challenge_invalid'
/** Wrong codes that a challenge allows. */
const MAX_ATTEMPTS = 5

/** Each round has a new account: 63 late codes count as wrong ones, and an account allows a hundred. */
const newGuarded = async (client: Client): Promise<Guarded> => turnOn(await signUp(client))

function raceOf(name: string, codeOf: (guarded: Guarded) => string): Race {
  return {
    name,
    async round({ client, random }) {
      const guarded = await newGuarded(client)
      const result = await oneCode({ client, random }, { guarded, code: codeOf(guarded) })
      const { owner, backupCodes } = guarded
      const last = await answer(client, await challengeOf(owner), backupCodes[9] ?? '')
      assert.equal(answerOf(last), '200', 'another code still signs in')
      return result
    },
  }
}

/** With one challenge later answers are too late. With several, the code is already used. */
async function oneCode(
  { client, random }: Pick<Round, 'client' | 'random'>,
  { guarded: { owner }, code }: { readonly guarded: Guarded; readonly code: string },
): Promise<string> {
  const isOne = random.chance(0.3)
  const count = isOne ? 1 : random.integer(Math.ceil(RACERS / MAX_ATTEMPTS), RACERS / 2)
  const challenges = await Promise.all(Array.from({ length: count }, () => challengeOf(owner)))
  const challengeAt = (index: number) => challenges[index % count] ?? assert.fail('a challenge for each')
  const replies = await race(
    random,
    times(RACERS, (index) => answer(client, challengeAt(index), code)),
  )
  expectOnly(replies, ['200', WRONG, ENDED])
  const [winner = -1, ...others] = indexesOf(replies, '200')
  assert.ok(winner >= 0 && others.length === 0, `${countOf(replies, '200')} sessions by one code`)
  if (isOne) assert.equal(countOf(replies, ENDED), RACERS - 1)
  for (const index of indexesOf(replies, ENDED))
    assert.ok(
      isOne || index % count === winner % count,
      'a challenge ended that was neither answered nor out of attempts',
    )
  const { access_token: token } = json<Tokens>(replies[winner] ?? assert.fail('a winner'))
  assert.equal(answerOf(await asOwner({ ...owner, token }, 'GET', '/v1/account')), '200')
  return isOne ? 'one challenge' : 'several challenges'
}

export const SECOND_FACTOR_RACES: readonly Race[] = [
  raceOf('totp', ({ authenticator }) => authenticator.next()),
  raceOf('backup-code', ({ backupCodes }) => backupCodes[0] ?? ''),
]
