/** What a thief and an owner try at the same time with one code: it opens one session, whoever comes first. */
import assert from 'node:assert/strict'
import type { Client } from '../../conformance/client.ts'
import { json } from '../../conformance/client.ts'
import { said } from '../../conformance/expect.ts'
import { answer, challengeOf, type Guarded, turnOn } from '../../conformance/secondFactor.ts'
import { asOwner, signUp, type Tokens } from '../../conformance/world.ts'
import { countOf, expectOnly, MANY, placesOf, type Race, type Round, race, times } from './race.ts'

const WRONG = '401 auth.totp_invalid_code'
const OVER = '401 auth.totp_challenge_invalid'
/** AttemptLimits that a challenge has. */
const TRIES = 5

/** Each round has an account of its own: 63 codes that come too late are wrong ones, and of those an account has a hundred. */
const newGuarded = async (client: Client): Promise<Guarded> => turnOn(await signUp(client))

function raceOf(name: string, codeOf: (guarded: Guarded) => string): Race {
  return {
    name,
    async round({ client, random }) {
      const guarded = await newGuarded(client)
      const word = await oneCode({ client, random }, { guarded, code: codeOf(guarded) })
      const { owner, backupCodes } = guarded
      const last = await answer(client, await challengeOf(owner), backupCodes[9] ?? '')
      assert.equal(said(last), '200', 'another code still signs in')
      return word
    },
  }
}

/** By one challenge all the rest are too late; by several, which leaves them tries enough, the code is used up. */
async function oneCode(
  { client, random }: Pick<Round, 'client' | 'random'>,
  { guarded: { owner }, code }: { readonly guarded: Guarded; readonly code: string },
): Promise<string> {
  const isOne = random.chance(0.3)
  const count = isOne ? 1 : random.integer(Math.ceil(MANY / TRIES), MANY / 2)
  const challenges = await Promise.all(Array.from({ length: count }, () => challengeOf(owner)))
  const challengeAt = (index: number) => challenges[index % count] ?? assert.fail('a challenge for each')
  const replies = await race(
    random,
    times(MANY, (index) => answer(client, challengeAt(index), code)),
  )
  expectOnly(replies, ['200', WRONG, OVER])
  const [winner = -1, ...others] = placesOf(replies, '200')
  assert.ok(winner >= 0 && others.length === 0, `${countOf(replies, '200')} sessions by one code`)
  if (isOne) assert.equal(countOf(replies, OVER), MANY - 1)
  for (const index of placesOf(replies, OVER))
    assert.ok(isOne || index % count === winner % count, 'a challenge is over that was neither met nor out of tries')
  const { access_token: token } = json<Tokens>(replies[winner] ?? assert.fail('a winner'))
  assert.equal(said(await asOwner({ ...owner, token }, 'GET', '/v1/account')), '200')
  return isOne ? 'one challenge' : 'several challenges'
}

export const SECOND_FACTOR_RACES: readonly Race[] = [
  raceOf('totp', ({ authenticator }) => authenticator.next()),
  raceOf('backup-code', ({ backupCodes }) => backupCodes[0] ?? ''),
]
