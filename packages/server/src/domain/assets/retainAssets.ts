/** Raises until when assets may not be deleted. Never lowers it: who has a session could undo it otherwise. */
import type { AssetId, Instant } from '@blindkeep/protocol/ids'
import type { RetainAssetsResponse } from '@blindkeep/protocol/schemas/assets'
import type { Clock } from '../../ports/clock.ts'
import { accountLock, type Store } from '../../ports/store.ts'
import { requireActiveAccount } from '../ground/activeAccount.ts'
import { refusePassed } from '../ground/expiry.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { Spender } from '../ground/sessionShare.ts'
import type { RowBudget } from '../quota/rowBudget.ts'
import { retainAsset } from './assetBlobs.ts'
import { judgeRetention, type RetentionSettings } from './retention.ts'

interface RetainPorts {
  readonly store: Store
  readonly clock: Clock
  readonly rowBudget: Pick<RowBudget, 'within'>
}

export interface Retention {
  readonly assetIds: readonly AssetId[]
  readonly until: Instant
}

type Retained = Readonly<RetainAssetsResponse>

/** Assets of one transaction, which keeps it short. */
const MAX_STEP = 50

export type RetainAssets = ReturnType<typeof createRetainAssets>

export function createRetainAssets({ store, clock, rowBudget }: RetainPorts, settings: RetentionSettings) {
  async function retainSome({ accountId }: Spender, assetIds: readonly AssetId[], until: Instant) {
    return store.write([accountLock(accountId)], async (tx): Promise<Retained | Refuses<'session_over'>> => {
      const inactive = await requireActiveAccount(tx, accountId)
      if (inactive !== undefined) return inactive
      const skipped: AssetId[] = []
      let raised = 0
      for (const assetId of assetIds) {
        const outcome = await retainAsset(tx, { accountId, assetId, until }, clock.now())
        if (outcome === 'raised') raised += 1
        if (outcome === 'unsigned') skipped.push(assetId)
      }
      return { raised, skipped }
    })
  }

  async function retainAll(spender: Spender, { assetIds, until }: Retention) {
    const all: { raised: number; skipped: AssetId[] } = { raised: 0, skipped: [] }
    for (let from = 0; from < assetIds.length; from += MAX_STEP) {
      const some = await retainSome(spender, assetIds.slice(from, from + MAX_STEP), until)
      if (isRefusal(some)) return some
      all.raised += some.raised
      all.skipped.push(...some.skipped)
    }
    return all
  }

  /**
   * None of these assets may be deleted before `until`, but for those in `skipped`. Done in steps: after an error some
   * may be, and the same request does the rest. Each raise is a change in the feed, and costs a row of the budget.
   */
  return async (
    spender: Spender,
    { assetIds, until }: Retention,
  ): Promise<Retained | Refuses<'request_unprocessable' | 'retention_too_long' | 'rows_limited' | 'session_over'>> => {
    const now = clock.now()
    const refused = refusePassed(until, now, 'until') ?? judgeRetention(until, { now, member: '/until' }, settings)
    if (refused !== undefined) return refused
    const each = [...new Set(assetIds)]
    return rowBudget.within('raises', spender, {
      most: each.length,
      add: () => retainAll(spender, { assetIds: each, until }),
      addedBy: (answer) => (isRefusal(answer) ? 0 : answer.raised),
    })
  }
}
