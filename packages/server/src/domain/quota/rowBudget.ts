/**
 * How many rows an account may add in a time, whatever becomes of them: what is deleted leaves a row too, for a while
 * or for good. Each session has a share. Nothing that frees, and no sign-in, is counted.
 */
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Refuses } from '../ground/refusals.ts'
import { type Spender, sharedLimits, wholeForOne } from '../ground/sessionShare.ts'
import type { Room } from './room.ts'

export interface RowSettings {
  readonly rowsPerDay: number
  readonly unlandedUploadsPerHour: number
}

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3600
/**
 * Uploads of an account in a day, landed ones included: each leaves a receipt for good. Without shares: no token lasts
 * long enough for as many, and one session may be the whole account's.
 */
const MAX_UPLOADS = 1_000_000
/** Retentions that a lone session may raise in a day: each leaves an event for a week. */
const MAX_RAISES = 100_000

export interface Addition<Answer> {
  readonly most?: number
  readonly add: () => Promise<Answer>
  readonly addedBy: (answer: Answer) => number
}

export type RowBudget = ReturnType<typeof createRowBudget>

export function createRowBudget(
  { limiter, room }: { readonly limiter: Limiter; readonly room: Pick<Room, 'isLeft'> },
  { rowsPerDay, unlandedUploadsPerHour }: RowSettings,
) {
  const unlanded = (spender: Spender): readonly Limit[] =>
    sharedLimits('unlanded-uploads', spender, { ...wholeForOne(unlandedUploadsPerHour), windowSeconds: HOUR_SECONDS })

  const limitsOf = {
    rows: (spender: Spender): readonly Limit[] =>
      sharedLimits('rows', spender, { max: rowsPerDay, windowSeconds: DAY_SECONDS }),
    uploads: (spender: Spender): readonly Limit[] => [
      ...unlanded(spender),
      { rule: 'uploads-of-account', key: spender.accountId, max: MAX_UPLOADS, windowSeconds: DAY_SECONDS },
    ],
    raises: (spender: Spender): readonly Limit[] =>
      sharedLimits('raised-retentions', spender, { ...wholeForOne(MAX_RAISES), windowSeconds: DAY_SECONDS }),
  }

  return {
    /** Runs `add` if the budget has room for `most` more. Only `addedBy` of these count; none, if it throws. */
    async within<Answer>(
      kind: keyof typeof limitsOf,
      spender: Spender,
      { most = 1, add, addedBy }: Addition<Answer>,
    ): Promise<Answer | Refuses<'rows_limited'>> {
      const limitsOn = (weight: number) => limitsOf[kind](spender).map((limit) => ({ ...limit, weight }))
      const retryAfterSeconds = await limiter.take(limitsOn(most))
      if (retryAfterSeconds !== undefined) return { refused: 'rows_limited', retryAfterSeconds }
      let added = 0
      try {
        const answer = await add()
        added = addedBy(answer)
        return answer
      } finally {
        if (added < most) await limiter.giveBack(limitsOn(most - added))
      }
    },

    /** An owner's upload has landed: it is charged now, and is not one of those that leave nothing else. */
    landed: (spender: Spender): Promise<void> => limiter.giveBack(unlanded(spender)),

    /** Undefined if the disk has room for rows. */
    async judgeRoom(): Promise<Refuses<'storage_full'> | undefined> {
      return (await room.isLeft()) ? undefined : { refused: 'storage_full' }
    },
  }
}
