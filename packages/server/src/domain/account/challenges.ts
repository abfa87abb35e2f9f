/**
 * Challenges: a caller has passed the first step of a sign-in or a recovery, and the second step is open
 * (specification, Authentication, 3). The client has the token; the server stores only its hash.
 */
import { type AccountId, addSeconds, type DeviceId, type Instant } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { Random } from '../../ports/random.ts'
import type { Challenge, ReadTx, WriteTx } from '../../ports/store.ts'
import { requireUnmoved } from '../discovery/serverId.ts'
import { sha256 } from '../ground/sha256.ts'

interface ChallengeFacts {
  readonly accountId: AccountId
  readonly deviceId: DeviceId | undefined
  /** JSON of what a recovery sets when the challenge is consumed. Undefined for a sign-in. */
  readonly recovery: string | undefined
}

/** The client gets it instead of a session. */
export interface GivenChallenge {
  readonly mfaToken: string
  readonly expiresAt: Instant
}

export function isChallenge<Value extends object>(answer: Value): answer is Extract<Value, GivenChallenge> {
  return 'mfaToken' in answer
}

const LIFE_SECONDS = 300
const MAX_ATTEMPTS = 5
/**
 * Of an account, for sign-ins, and as many for recoveries. Beyond, the oldest ends, and no new one is refused: a thief
 * of the password must not keep the owner out for as long as challenges live, nor end a recovery.
 */
export const MAX_WAITING = 1000
const TOKEN_BYTES = 32

export function createChallenges(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  { serverId }: { readonly serverId: string },
) {
  return {
    /** For the transaction that found a confirmed second factor: without a factor, no code can pass the challenge. */
    async create(tx: WriteTx, facts: ChallengeFacts): Promise<GivenChallenge> {
      const mfaToken = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
      const createdAt = clock.now()
      const expiresAt = addSeconds(createdAt, LIFE_SECONDS)
      const older = facts.recovery === undefined ? 'removeOlderSignInsOf' : 'removeOlderRecoveriesOf'
      const removed = tx.challenges[older](facts.accountId, MAX_WAITING - 1)
      await Promise.all([requireUnmoved(tx, serverId), removed])
      await tx.challenges.insert({ tokenHash: hashOf(mfaToken), ...facts, createdAt, expiresAt })
      return { mfaToken, expiresAt }
    },

    find: (tx: ReadTx, mfaToken: string): Promise<Challenge | undefined> => tx.challenges.find(hashOf(mfaToken)),

    /** Called before the check: parallel guesses gain nothing. False: consumed, expired, or no attempts left. */
    countAttempt: (tx: WriteTx, { tokenHash }: Challenge): Promise<boolean> =>
      tx.challenges.countAttempt(tokenHash, { at: clock.now(), attemptsMax: MAX_ATTEMPTS }),

    /** False when the challenge was consumed before or has expired. */
    consume: (tx: WriteTx, { tokenHash }: Challenge): Promise<boolean> => tx.challenges.consume(tokenHash, clock.now()),
  }
}

function hashOf(mfaToken: string): string {
  return Buffer.from(sha256(Buffer.from(mfaToken, 'utf8'))).toString('hex')
}
