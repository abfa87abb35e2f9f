import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { Db } from './db.ts'
import { changesOne, first, runs } from './statements.ts'

/** What a sign-in needs beside the account's secret. */
export interface SecondFactor {
  /** The TOTP secret (RFC 6238), sealed under the master secret. */
  readonly sealedSecret: Uint8Array
  /** Undefined while it is only enrolled: a sign-in does not need it then. */
  readonly confirmedAt: Instant | undefined
}

const byAccount = first((db, accountId: AccountId) =>
  db.selectFrom('accounts').select(['totpSealed', 'totpConfirmedAt']).where('accountId', '=', accountId),
)

export const secondFactorReads = {
  /** Undefined if none is enrolled. */
  async find(db: Db, accountId: AccountId): Promise<SecondFactor | undefined> {
    const { totpSealed: sealedSecret, totpConfirmedAt: confirmedAt } = (await byAccount(db, accountId)) ?? {}
    return sealedSecret && { sealedSecret, confirmedAt }
  },
}

const removal = runs((db, accountId: AccountId) =>
  db.updateTable('accounts').set({ totpSealed: null, totpConfirmedAt: null }).where('accountId', '=', accountId),
)

const codeInsertion = runs((db, accountId: AccountId, codeHash: string) =>
  db.insertInto('backupCodes').values({ accountId, codeHash }),
)

const codeRemoval = runs((db, accountId: AccountId) => db.deleteFrom('backupCodes').where('accountId', '=', accountId))

export const secondFactorWrites = {
  /** Replaces an unconfirmed secret. False, and nothing changed, if one is confirmed or the account deleted. */
  enroll: changesOne((db, accountId: AccountId, sealedSecret: Uint8Array) =>
    db
      .updateTable('accounts')
      .set({ totpSealed: sealedSecret })
      .where('accountId', '=', accountId)
      .where('deletedAt', 'is', null)
      .where('totpConfirmedAt', 'is', null),
  ),
  /** False, and nothing changed, if there is no unconfirmed one. */
  confirm: changesOne((db, accountId: AccountId, at: Instant) =>
    db
      .updateTable('accounts')
      .set({ totpConfirmedAt: at })
      .where('accountId', '=', accountId)
      .where('totpSealed', 'is not', null)
      .where('totpConfirmedAt', 'is', null),
  ),
  /**
   * Uses up a time step and all steps before it. False if the step was used up. `enroll`, `confirm` and `remove` do not
   * change which steps are used up. One conditional statement.
   */
  useStep: changesOne((db, accountId: AccountId, step: number) =>
    db
      .updateTable('accounts')
      .set({ totpLastStep: step })
      .where('accountId', '=', accountId)
      .where((account) => account.or([account('totpLastStep', 'is', null), account('totpLastStep', '<', step)])),
  ),
  /** Removes the factor, confirmed or not, and its backup codes. */
  async remove(db: Db, accountId: AccountId): Promise<void> {
    await removal(db, accountId)
    await codeRemoval(db, accountId)
  },
  /** Makes every step usable again: needed after the clock was ahead. */
  forgetSteps: runs((db, accountId: AccountId) =>
    db.updateTable('accounts').set({ totpLastStep: null }).where('accountId', '=', accountId),
  ),
  /** Replaces all backup codes of the account. */
  async setBackupCodes(db: Db, accountId: AccountId, codeHashes: readonly string[]): Promise<void> {
    await codeRemoval(db, accountId)
    for (const codeHash of codeHashes) await codeInsertion(db, accountId, codeHash)
  },
  /** False if the code was used before, or the account has no such code. One conditional statement. */
  useBackupCode: changesOne((db, accountId: AccountId, codeHash: string, at: Instant) =>
    db
      .updateTable('backupCodes')
      .set({ usedAt: at })
      .where('accountId', '=', accountId)
      .where('codeHash', '=', codeHash)
      .where('usedAt', 'is', null),
  ),
}
