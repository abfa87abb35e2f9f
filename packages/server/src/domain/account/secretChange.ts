import type { AccountId, Instant, SessionId } from '@blindkeep/protocol/ids'
import type { Account, AccountSecret, ReadTx, WriteTx } from '../../ports/store.ts'

interface SecretChange {
  readonly accountId: AccountId
  /** The hash that the caller has proved. */
  readonly from: string
  readonly secret: AccountSecret
  readonly at: Instant
  /** The session that stays. */
  readonly except?: SessionId
}

/**
 * Sets another secret. Ends every session but `except`, and every sign-in that waits for its second step. False, and
 * nothing changed, when the secret is not `from` any more.
 */
export async function replaceSecret(tx: WriteTx, change: SecretChange): Promise<boolean> {
  const { accountId, from, secret, at, except } = change
  if (!(await tx.accounts.changeSecret(accountId, from, secret))) return false
  await tx.sessions.endAllOf(accountId, at, except)
  await tx.challenges.removeOf(accountId)
  return true
}

/** Whether the checked secret is still present: a change stops a thief with the old one, also half-way. */
export async function isStillSecret(tx: ReadTx, { accountId, secretHash }: Account): Promise<boolean> {
  return (await tx.accounts.find(accountId))?.secretHash === secretHash
}
