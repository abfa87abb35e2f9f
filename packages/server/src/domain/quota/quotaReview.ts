import { tryEachInTurn } from '@blindkeep/protocol/concurrency'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import { accountLock, isStoreBroken, type Store } from '../../ports/store.ts'
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

  const note = ({ accountId }: { readonly accountId: AccountId }) =>
    store.write([accountLock(accountId)], (tx) => quota.note(tx, accountId, clock.now()))

  return async function reviewQuotas() {
    const accounts = await store.read((tx) => tx.accounts.list({ afterEmail, max: ACCOUNTS_AT_A_TIME }))
    // Also if one of them fails: it keeps no other from being reviewed.
    afterEmail = accounts.length < ACCOUNTS_AT_A_TIME ? undefined : accounts.at(-1)?.email
    const unnoted = accounts.filter((account) => !quota.isNoted(account))
    await tryEachInTurn(unnoted, note, isStoreBroken)
  }
}
