import type { Clock } from '../../ports/clock.ts'
import { accountLock, type Store } from '../../ports/store.ts'
import type { Quota } from './quota.ts'

interface ReviewPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Quota
}

const ACCOUNTS_AT_A_TIME = 500

/**
 * After a start with other limits of the deployment, accounts may be over their hard limit that were below it, or the
 * other way round. No charge or refund notes that. So each call reviews some accounts, and starts again after the
 * last one.
 */
export function createQuotaReview({ store, clock, quota }: ReviewPorts): () => Promise<void> {
  let afterEmail: string | undefined
  return async function reviewQuotas() {
    const accounts = await store.read((tx) => tx.accounts.list({ afterEmail, max: ACCOUNTS_AT_A_TIME }))
    const unnoted = accounts.filter((account) => !quota.isNoted(account))
    for (const { accountId } of unnoted)
      await store.write([accountLock(accountId)], (tx) => quota.note(tx, accountId, clock.now()))
    afterEmail = accounts.length < ACCOUNTS_AT_A_TIME ? undefined : accounts.at(-1)?.email
  }
}
