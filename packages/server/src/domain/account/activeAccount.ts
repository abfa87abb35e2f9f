import type { AccountId } from '@blindkeep/protocol/ids'
import type { Account, ReadTx } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'

/** Strangers reach nothing of an account that is suspended, or that its owner has deleted: its links and shares look as if they were not there. */
export function isReachable(account: Account | undefined): account is Account {
  return account !== undefined && account.suspendedAt === undefined && account.deletedAt === undefined
}

/** A request may have been let in just before its account was deleted: what it would make must not come after. */
export async function requireActiveAccount(
  tx: ReadTx,
  accountId: AccountId,
): Promise<Refuses<'session_over'> | undefined> {
  const account = await tx.accounts.find(accountId)
  return account === undefined || account.deletedAt !== undefined ? { refused: 'session_over' } : undefined
}
