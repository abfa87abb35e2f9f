/**
 * Limits on how many wrong keys and codes a caller may send, on how often an account is signed in to, and on how many
 * accounts all callers may make.
 */
import type { AccountId, Instant, PasskeyId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import { networkOf } from '../ground/guestNetwork.ts'
import type { Refuses } from '../ground/refusals.ts'

export interface AttemptSettings {
  /** Wrong keys or codes of one kind, for one account, from one source, in 15 minutes. */
  readonly loginTriesPerWindow: number
}

const WINDOW_SECONDS = 900
const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400
const MAX_ATTEMPTS_OF_SOURCE = 6000
/** Wrong sign-in keys for one account in 15 minutes, from all sources together. */
const MAX_WRONG_KEYS_OF_ACCOUNT = 100
/** Wrong codes for one account in a day, from all sources together. Three of a million codes are right at a time. */
const MAX_WRONG_CODES_OF_ACCOUNT = 100
/** A registration costs the server little, and its row stays. */
const MAX_NEW_ACCOUNTS_PER_HOUR = 10_000
const MAX_NEW_ACCOUNTS_OF_NETWORK_PER_HOUR = 1000
/** Right keys of one kind for one account in 15 minutes: a sign-in costs the server little, and leaves rows. */
const MAX_SIGN_INS_OF_ACCOUNT = 1000
/**
 * Wrong recovery keys or backup codes for one account, or wrong keys for one passkey, in 15 minutes, from all
 * sources together. They have 50 bits or more, so even this many guesses are hopeless. With a low limit, a stranger
 * could lock the owner out by using it up.
 */
const MAX_WRONG_UNGUESSABLE_OF_ACCOUNT = 10_000

type Source = string | undefined

export type AttemptLimits = ReturnType<typeof createAttemptLimits>

export function createAttemptLimits(
  { limiter }: { readonly limiter: Limiter },
  { loginTriesPerWindow }: AttemptSettings,
) {
  async function take(limits: readonly Limit[]): Promise<Refuses<'attempts_limited'> | undefined> {
    const retryAfterSeconds = await limiter.take(limits)
    return retryAfterSeconds === undefined ? undefined : { refused: 'attempts_limited', retryAfterSeconds }
  }

  /** Many callers share the unknown source, so only the account's limit counts there. */
  function limitsFor(what: string, { key, source, windowSeconds, max }: Counted): readonly Limit[] {
    const ofAccount = { rule: `${what}-of-account`, key, max, windowSeconds }
    if (source === undefined) return [ofAccount]
    const rule = `${what}-of-account-and-source`
    return [{ rule, key: `${source} ${key}`, max: loginTriesPerWindow, windowSeconds: WINDOW_SECONDS }, ofAccount]
  }

  function limitsForUnguessable(what: string, key: string, source: Source): readonly Limit[] {
    return limitsFor(what, { key, source, windowSeconds: WINDOW_SECONDS, max: MAX_WRONG_UNGUESSABLE_OF_ACCOUNT })
  }

  return {
    /** Counts every attempt of a source, right or wrong. */
    async countAttempt(source: Source): Promise<Refuses<'attempts_limited'> | undefined> {
      if (source === undefined) return undefined
      const max = MAX_ATTEMPTS_OF_SOURCE
      return take([{ rule: 'attempts-of-source', key: source, max, windowSeconds: WINDOW_SECONDS }])
    },

    /**
     * Counts a right key, before its session is made, each kind by itself: a thief of the password must not keep the
     * owner from recovering the account. Not with a second factor: its challenges have a bound of their own, and the
     * thief must not use up what the owner needs.
     */
    countSignIn: async ({ accountId, totpConfirmedAt }: SigningIn, by: KeyKind) =>
      totpConfirmedAt === undefined ? take([signInLimit(accountId, by)]) : undefined,

    forSignInKeys: (email: string, source: Source): readonly Limit[] =>
      limitsFor('sign-in-keys', { key: email, source, windowSeconds: WINDOW_SECONDS, max: MAX_WRONG_KEYS_OF_ACCOUNT }),

    /** Not the limits of sign-in keys: wrong passwords of a stranger must not lock the owner's recovery. */
    forRecoveryKeys: (email: string, source: Source): readonly Limit[] =>
      limitsForUnguessable('recovery-keys', email, source),

    forPasskeys: (passkeyId: PasskeyId, source: Source): readonly Limit[] =>
      limitsForUnguessable('passkeys', passkeyId, source),

    /** The window of the account is a day: the same number of guesses in every 15 minutes would be too many. */
    forCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      limitsFor('codes', { key: accountId, source, windowSeconds: DAY_SECONDS, max: MAX_WRONG_CODES_OF_ACCOUNT }),

    /** For an unconfirmed factor. Wrong codes at sign-in must not keep the owner from setting up another. */
    forFirstCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      limitsFor('first-codes', { key: accountId, source, windowSeconds: DAY_SECONDS, max: MAX_WRONG_CODES_OF_ACCOUNT }),

    /** Not the limits of codes: after a stranger used those up, an owner signs in with a backup code. */
    forBackupCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      limitsForUnguessable('backup-codes', accountId, source),

    /**
     * Runs `check` within the limits. An attempt is counted before the check, so guessing in parallel gains nothing.
     * The count is taken back unless `counts` the answer, and when `check` throws: a fault of the server must not lock
     * the owner out.
     */
    async check<Answer>(
      limits: readonly Limit[],
      check: () => Promise<Answer>,
      counts: (answer: Answer) => boolean,
    ): Promise<Answer | Refuses<'attempts_limited'>> {
      const limited = await take(limits)
      if (limited !== undefined) return limited
      let isCounted = false
      try {
        const answer = await check()
        isCounted = counts(answer)
        return answer
      } finally {
        if (!isCounted) await limiter.giveBack(limits)
      }
    },
  }
}

/** Which key of an account signs in. */
type KeyKind = 'password' | 'words' | 'passkey'

interface SigningIn {
  readonly accountId: AccountId
  readonly totpConfirmedAt?: Instant | undefined
}

interface Counted {
  readonly key: string
  readonly source: Source
  /** The window of the account's limit. The limit of an account and a source always has 15 minutes. */
  readonly windowSeconds: number
  /** The account's limit, for all sources together. */
  readonly max: number
}

function signInLimit(accountId: AccountId, by: KeyKind): Limit {
  const rule = `sign-ins-by-${by}-of-account`
  return { rule, key: accountId, max: MAX_SIGN_INS_OF_ACCOUNT, windowSeconds: WINDOW_SECONDS }
}

/** Each account that needed no invite stays counted. One network must not use up what all have. */
export function newAccountLimits(source: Source): readonly Limit[] {
  const ofAll = { rule: 'new-accounts', key: 'all', max: MAX_NEW_ACCOUNTS_PER_HOUR, windowSeconds: HOUR_SECONDS }
  const key = networkOf(source)
  const max = MAX_NEW_ACCOUNTS_OF_NETWORK_PER_HOUR
  return key === undefined ? [ofAll] : [{ ...ofAll, rule: 'new-accounts-of-network', key, max }, ofAll]
}
