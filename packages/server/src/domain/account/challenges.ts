import { type AccountId, addSeconds, type DeviceId, type Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Challenge, ReadTx, WriteTx } from '../../ports/store.ts'
import { sha256 } from '../sha256.ts'

/**
 * What a first step has proved, until the second one (specification, Authentication, 3): a sign-in, or a recovery with what it will set.
 * The token is a secret of the client's; here only its hash is known.
 */
interface ChallengeFacts {
  readonly accountId: AccountId
  readonly deviceId: DeviceId | undefined
  /** JSON of what a recovery sets in the transaction that takes the challenge; undefined for a sign-in. */
  readonly recovery: string | undefined
}

/** What the client is given instead of a session. */
export interface GivenChallenge {
  readonly mfaToken: string
  readonly expiresAt: Instant
}

export function isChallenge<Value extends object>(answer: Value): answer is Extract<Value, GivenChallenge> {
  return 'mfaToken' in answer
}

const LIFE_SECONDS = 300
const MAX_TRIES = 5
const TOKEN_BYTES = 32

export function createChallenges({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
  return {
    /** In the transaction that has found a second factor confirmed: without one nobody could meet it. */
    async create(tx: WriteTx, facts: ChallengeFacts): Promise<GivenChallenge> {
      const mfaToken = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
      const createdAt = clock.now()
      const expiresAt = addSeconds(createdAt, LIFE_SECONDS)
      await tx.challenges.insert({ tokenHash: hashOf(mfaToken), ...facts, createdAt, expiresAt })
      return { mfaToken, expiresAt }
    },

    find: (tx: ReadTx, mfaToken: string): Promise<Challenge | undefined> => tx.challenges.find(hashOf(mfaToken)),

    /** Before a code is judged, so that any number at once gain nothing. False when the challenge is not open, or out of tries. */
    countTry: (tx: WriteTx, { tokenHash }: Challenge): Promise<boolean> =>
      tx.challenges.countAttempt(tokenHash, { at: clock.now(), attemptsMax: MAX_TRIES }),

    /** Once. False when it was taken before. */
    take: (tx: WriteTx, { tokenHash }: Challenge): Promise<boolean> => tx.challenges.take(tokenHash, clock.now()),
  }
}

function hashOf(mfaToken: string): string {
  return Buffer.from(sha256(Buffer.from(mfaToken, 'utf8'))).toString('hex')
}
