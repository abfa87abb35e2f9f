import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { SecondFactorReads, SecondFactorWrites } from '../../ports/store.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'

const byAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db.selectFrom('accounts').select(['totp_sealed', 'totp_confirmed_at']).where('account_id', '=', given.accountId),
)

const enrolling = prepared((db, given: { readonly accountId: AccountId; readonly sealedSecret: Uint8Array }) =>
  db
    .updateTable('accounts')
    .set({ totp_sealed: given.sealedSecret })
    .where('account_id', '=', given.accountId)
    .where('deleted_at', 'is', null)
    .where('totp_confirmed_at', 'is', null),
)

const confirming = prepared((db, given: { readonly accountId: AccountId; readonly at: Instant }) =>
  db
    .updateTable('accounts')
    .set({ totp_confirmed_at: given.at })
    .where('account_id', '=', given.accountId)
    .where('totp_sealed', 'is not', null)
    .where('totp_confirmed_at', 'is', null),
)

const stepping = prepared((db, given: { readonly accountId: AccountId; readonly step: number }) =>
  db
    .updateTable('accounts')
    .set({ totp_last_step: given.step })
    .where('account_id', '=', given.accountId)
    .where((account) =>
      account.or([account('totp_last_step', 'is', null), account('totp_last_step', '<', given.step)]),
    ),
)

const removal = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .updateTable('accounts')
    .set({ totp_sealed: null, totp_confirmed_at: null })
    .where('account_id', '=', given.accountId),
)

const forgetting = prepared((db, given: { readonly accountId: AccountId }) =>
  db.updateTable('accounts').set({ totp_last_step: null }).where('account_id', '=', given.accountId),
)

const codeInsertion = prepared((db, given: { readonly accountId: AccountId; readonly codeHash: string }) =>
  db.insertInto('backup_codes').values({ account_id: given.accountId, code_hash: given.codeHash }),
)

const codeRemoval = prepared((db, given: { readonly accountId: AccountId }) =>
  db.deleteFrom('backup_codes').where('account_id', '=', given.accountId),
)

const codeUse = prepared(
  (db, given: { readonly accountId: AccountId; readonly codeHash: string; readonly at: Instant }) =>
    db
      .updateTable('backup_codes')
      .set({ used_at: given.at })
      .where('account_id', '=', given.accountId)
      .where('code_hash', '=', given.codeHash)
      .where('used_at', 'is', null),
)

export function secondFactorReads(db: Db): SecondFactorReads {
  return {
    async find(accountId) {
      const row = await byAccount.first(db, { accountId })
      if (row === undefined || row.totp_sealed === null) return undefined
      return { sealedSecret: row.totp_sealed, confirmedAt: row.totp_confirmed_at ?? undefined }
    },
  }
}

export function secondFactorWrites(db: Db): SecondFactorWrites {
  return {
    async enroll(accountId, sealedSecret) {
      return (await enrolling.changed(db, { accountId, sealedSecret })) === 1
    },
    async confirm(accountId, at) {
      return (await confirming.changed(db, { accountId, at })) === 1
    },
    async useStep(accountId, step) {
      return (await stepping.changed(db, { accountId, step })) === 1
    },
    async remove(accountId) {
      await removal.changed(db, { accountId })
      await codeRemoval.changed(db, { accountId })
    },
    async forgetSteps(accountId) {
      await forgetting.changed(db, { accountId })
    },
    async setBackupCodes(accountId, codeHashes) {
      await codeRemoval.changed(db, { accountId })
      for (const codeHash of codeHashes) await codeInsertion.changed(db, { accountId, codeHash })
    },
    async useBackupCode(accountId, codeHash, at) {
      return (await codeUse.changed(db, { accountId, codeHash, at })) === 1
    },
  }
}
