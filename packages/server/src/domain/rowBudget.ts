/**
 * How many rows an account may add in a day, whatever becomes of them: what is deleted leaves a row too, for a while or for good. Each session has a quarter,
 * so a stolen token cannot use up what the owner needs: a new sign-in has a share of its own. Nothing that frees, and no sign-in, is counted.
 */
import type { AccountId, SessionId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../ports/limiter.ts'
import type { Refuses } from './refusals.ts'
import type { Room } from './uploads/room.ts'

export interface RowSettings {
  readonly rowsPerDay: number
  readonly unlandedUploadsPerHour: number
}

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3600
/** A session's share. */
const SHARES = 4
/** Sessions of an account in a day, landed ones included: each leaves a receipt for good. */
const MAX_UPLOADS = 1_000_000

export interface Adding {
  readonly accountId: AccountId
  readonly sessionId: SessionId
}

export type RowBudget = ReturnType<typeof createRowBudget>

export function createRowBudget(
  { limiter, room }: { readonly limiter: Limiter; readonly room: Pick<Room, 'isLeft'> },
  { rowsPerDay, unlandedUploadsPerHour }: RowSettings,
) {
  const unlanded = (key: AccountId): Limit => ({
    rule: 'unlanded-uploads-of-account',
    key,
    max: unlandedUploadsPerHour,
    windowSeconds: HOUR_SECONDS,
  })

  const limitsOf = {
    rows: ({ accountId, sessionId }: Adding): readonly Limit[] => [
      { rule: 'rows-of-session', key: sessionId, max: Math.ceil(rowsPerDay / SHARES), windowSeconds: DAY_SECONDS },
      { rule: 'rows-of-account', key: accountId, max: rowsPerDay, windowSeconds: DAY_SECONDS },
    ],
    uploads: ({ accountId }: Adding): readonly Limit[] => [
      unlanded(accountId),
      { rule: 'uploads-of-account', key: accountId, max: MAX_UPLOADS, windowSeconds: DAY_SECONDS },
    ],
  }

  return {
    /** Runs `add` if the budget has room for one more. What `isAdded` denies, and what throws, does not count. */
    async within<Answer>(
      kind: keyof typeof limitsOf,
      adding: Adding,
      { add, isAdded }: { readonly add: () => Promise<Answer>; readonly isAdded: (answer: Answer) => boolean },
    ): Promise<Answer | Refuses<'rows_limited'>> {
      const limits = limitsOf[kind](adding)
      const retryAfterSeconds = await limiter.take(limits)
      if (retryAfterSeconds !== undefined) return { refused: 'rows_limited', retryAfterSeconds }
      let counts = false
      try {
        const answer = await add()
        counts = isAdded(answer)
        return answer
      } finally {
        if (!counts) await limiter.giveBack(limits)
      }
    },

    /** An owner's upload has landed: it is charged now, and its session is not one of those that leave nothing else. */
    landed: (accountId: AccountId): Promise<void> => limiter.giveBack([unlanded(accountId)]),

    /** Undefined if the disk has room for rows. */
    async judgeRoom(): Promise<Refuses<'storage_full'> | undefined> {
      return (await room.isLeft()) ? undefined : { refused: 'storage_full' }
    },
  }
}
