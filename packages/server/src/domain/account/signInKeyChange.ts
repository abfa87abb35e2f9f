import type { AccountId, Instant, SessionId } from '@blindkeep/protocol/ids'
import type { Account, ReadTx, SignInValues, WriteTx } from '../../ports/store.ts'
import { isKey, type KeyHash } from './proofs.ts'

interface SignInKeyChange {
  readonly accountId: AccountId
  /** The key that the caller has proved. */
  readonly from: KeyHash
  readonly values: SignInValues
  readonly at: Instant
  /** The session that stays. */
  readonly except?: SessionId
}

/**
 * Sets another sign-in key. Ends every session but `except`, and every sign-in that waits for its second step. False,
 * and nothing changed, when the key is not `from` any more.
 */
export async function replaceSignInKey(tx: WriteTx, change: SignInKeyChange): Promise<boolean> {
  const { accountId, from, values, at, except } = change
  if (!(await tx.accounts.changeSignInKey(accountId, from, values))) return false
  await tx.sessions.endAllOf(accountId, at, except)
  await tx.challenges.removeOf(accountId)
  return true
}

/** Whether the proved key is still the present one: a change stops a thief with the old one, also half-way. */
export async function isStillSignInKey(
  tx: ReadTx,
  { accountId }: Pick<Account, 'accountId'>,
  proved: KeyHash,
): Promise<boolean> {
  return isKey((await tx.accounts.find(accountId))?.signInKeyHash, proved)
}
