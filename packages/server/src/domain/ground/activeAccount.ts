import type { AccountId } from '@blindkeep/protocol/ids'
import type { AccountStanding, ReadTx } from '../../ports/store.ts'
import type { Refuses } from './refusals.ts'

/** The links and shares of an account that is suspended or deleted answer as if they did not exist. */
export function isReachable(account: AccountStanding | undefined): account is AccountStanding {
  return account !== undefined && account.suspendedAt === undefined && account.deletedAt === undefined
}

/** Before creating something: the account may have been deleted after the request was authenticated. */
export async function requireActiveAccount(
  tx: ReadTx,
  accountId: AccountId,
): Promise<Refuses<'session_over'> | undefined> {
  const account = await tx.accounts.standing(accountId)
  return account === undefined || account.deletedAt !== undefined ? { refused: 'session_over' } : undefined
}
