import type { AccountId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Refuses } from '../refusals.ts'

/** How many wrong secrets and codes a caller may send. */
export interface AttemptSettings {
  /** Wrong ones for one account from one source in a window. */
  readonly loginTriesPerWindow: number
}

const WINDOW_SECONDS = 900
const DAY_SECONDS = 86_400
const MAX_ATTEMPTS_OF_SOURCE = 6000
/** Wrong ones for one account, from all sources together. */
const MAX_TRIES_OF_ACCOUNT = 100
/**
 * The same, for secrets of 50 bits or more. So many guesses find none of them, and a low limit would let a stranger lock the owner out by using it up.
 */
const MAX_TRIES_OF_UNGUESSABLE = 10_000

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
  function limitsFor(
    what: string,
    { key, source, windowSeconds, max = MAX_TRIES_OF_ACCOUNT }: Counted,
  ): readonly Limit[] {
    const ofAccount = { rule: `${what}-of-account`, key, max, windowSeconds }
    if (source === undefined) return [ofAccount]
    const rule = `${what}-of-account-and-source`
    return [{ rule, key: `${source} ${key}`, max: loginTriesPerWindow, windowSeconds: WINDOW_SECONDS }, ofAccount]
  }

  return {
    /** Counts every attempt of a source, right or wrong. */
    async countAttempt(source: Source): Promise<Refuses<'attempts_limited'> | undefined> {
      if (source === undefined) return undefined
      const max = MAX_ATTEMPTS_OF_SOURCE
      return take([{ rule: 'attempts-of-source', key: source, max, windowSeconds: WINDOW_SECONDS }])
    },

    forSecrets: (email: string, source: Source): readonly Limit[] =>
      limitsFor('secrets', { key: email, source, windowSeconds: WINDOW_SECONDS }),

    /** Apart from the limits of secrets: a stranger who locks an account with wrong passwords must not lock the owner's way back in. */
    forRecoveryProofs: (email: string, source: Source): readonly Limit[] =>
      limitsFor('recovery-proofs', {
        key: email,
        source,
        windowSeconds: WINDOW_SECONDS,
        max: MAX_TRIES_OF_UNGUESSABLE,
      }),

    /** Three of a million codes are right at a time, so the window is a day: a hundred guesses every quarter of an hour would be too many. */
    forCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      limitsFor('codes', { key: accountId, source, windowSeconds: DAY_SECONDS }),

    /** For a new factor that waits to be confirmed. Wrong codes at sign-in must not keep the owner from setting up another factor. */
    forFirstCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      limitsFor('first-codes', { key: accountId, source, windowSeconds: DAY_SECONDS }),

    /** Apart from the other limits: an owner with backup codes gets in after a stranger has used those up. */
    forBackupCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      limitsFor('backup-codes', {
        key: accountId,
        source,
        windowSeconds: WINDOW_SECONDS,
        max: MAX_TRIES_OF_UNGUESSABLE,
      }),

    /**
     * Runs `check` within the limits. A try is counted before the check, so guessing in parallel gains nothing. It is given back when the answer is
     * not wrong, and when `check` throws, for instance because the hasher is busy: the flood of a stranger must not lock the owner out.
     */
    async check<Answer>(
      limits: readonly Limit[],
      check: () => Promise<Answer>,
      isWrongAnswer: (answer: Answer) => boolean,
    ): Promise<Answer | Refuses<'attempts_limited'>> {
      const limited = await take(limits)
      if (limited !== undefined) return limited
      let isWrong = false
      try {
        const answer = await check()
        isWrong = isWrongAnswer(answer)
        return answer
      } finally {
        if (!isWrong) await limiter.giveBack(limits)
      }
    },
  }
}

interface Counted {
  readonly key: string
  readonly source: Source
  readonly windowSeconds: number
  /** Wrong ones of the account from all sources; 100 when left out. */
  readonly max?: number
}
