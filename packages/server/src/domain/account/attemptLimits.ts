import type { AccountId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Refuses } from '../refusals.ts'

/** How often somebody may be wrong. Whoever judges a secret or a code counts here first, so that guessing in parallel gains nothing. */
export interface AttemptSettings {
  /** Wrong ones of an account from one source in a window. */
  readonly loginTriesPerWindow: number
}

const WINDOW_SECONDS = 900
const TRIES_OF_ACCOUNT = 100
/** Of what has 50 bits or more, where so many find nothing: what any stranger can use up must not keep the owner out. */
const TRIES_OF_UNGUESSABLE = 10_000
const ATTEMPTS_OF_SOURCE = 6000
const DAY_SECONDS = 86_400

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

  /** A source that is not known is shared by many: the account alone counts then. */
  function ofAccount(what: string, { key, source, windowSeconds, max = TRIES_OF_ACCOUNT }: Counted): readonly Limit[] {
    const limit = { rule: `${what}-of-account`, key, max, windowSeconds }
    if (source === undefined) return [limit]
    const rule = `${what}-of-account-and-source`
    return [{ rule, key: `${source} ${key}`, max: loginTriesPerWindow, windowSeconds: WINDOW_SECONDS }, limit]
  }

  return {
    /** Counts whatever a source tries, right or wrong. */
    async attempt(source: Source): Promise<Refuses<'attempts_limited'> | undefined> {
      if (source === undefined) return undefined
      const max = ATTEMPTS_OF_SOURCE
      return take([{ rule: 'attempts-of-source', key: source, max, windowSeconds: WINDOW_SECONDS }])
    },

    ofSecrets: (email: string, source: Source): readonly Limit[] =>
      ofAccount('secrets', { key: email, source, windowSeconds: WINDOW_SECONDS }),

    /** Apart from the secrets', so that whoever has an account locked out by wrong passwords keeps nobody from the way back in. */
    ofProofs: (email: string, source: Source): readonly Limit[] =>
      ofAccount('recovery-proofs', { key: email, source, windowSeconds: WINDOW_SECONDS, max: TRIES_OF_UNGUESSABLE }),

    /** Of three codes in a million each try hits one: a hundred a day are few enough, a hundred every quarter of an hour are not. */
    ofCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      ofAccount('codes', { key: accountId, source, windowSeconds: DAY_SECONDS }),

    /** Of a secret that waits to be confirmed: who has used up the tries of a sign-in must not keep the owner from putting another in its place. */
    ofFirstCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      ofAccount('first-codes', { key: accountId, source, windowSeconds: DAY_SECONDS }),

    /** Apart from the others, so that whoever uses those up does not lock out an owner who has these. */
    ofBackupCodes: (accountId: AccountId, source: Source): readonly Limit[] =>
      ofAccount('backup-codes', {
        key: accountId,
        source,
        windowSeconds: WINDOW_SECONDS,
        max: TRIES_OF_UNGUESSABLE,
      }),

    /**
     * AttemptLimits are counted before the secret is judged, so that guessing in parallel gains nothing, and given back when it is not found to be wrong,
     * or when it was never judged because the hasher was busy: an honest owner must not be locked out by somebody else's flood.
     */
    async judged<Answer>(
      limits: readonly Limit[],
      judge: () => Promise<Answer>,
      isFoundWrong: (answer: Answer) => boolean,
    ): Promise<Answer | Refuses<'attempts_limited'>> {
      const limited = await take(limits)
      if (limited !== undefined) return limited
      let isWrong = false
      try {
        const answer = await judge()
        isWrong = isFoundWrong(answer)
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
