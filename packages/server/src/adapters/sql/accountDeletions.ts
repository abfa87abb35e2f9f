import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import { sql } from 'kysely'
import type { AccountDeletion, AccountDeletionReads, AccountDeletionWrites } from '../../ports/store.ts'
import type { Db } from './db.ts'
import { type Prepared, prepared } from './prepared.ts'

/** Not an e-mail address, because it has no @: no client can register it. As unique as the id. */
const DELETED_EMAIL = sql<string>`'deleted:' || account_id`
/** Not a hash: no secret matches it. */
export const NO_SECRET = '-'

const notEmptied = prepared((db, given: { readonly max: number }) =>
  db
    .selectFrom('accounts')
    .select('account_id')
    .where('deleted_at', 'is not', null)
    .where('emptied_at', 'is', null)
    .orderBy('deleted_at')
    .limit(given.max),
)

const eraseAccount = prepared((db, given: AccountDeletion) =>
  db
    .updateTable('accounts')
    .set({
      email: DELETED_EMAIL,
      secret_hash: NO_SECRET,
      salt: null,
      sealed_account_key: null,
      sealed_recovery_key: null,
      recovery_proof_hash: null,
      totp_sealed: null,
      totp_confirmed_at: null,
      totp_last_step: null,
      soft_limit_bytes: null,
      hard_limit_bytes: null,
      exceeded_since: null,
      refused_why: null,
      refused_count: 0,
      refused_first_at: null,
      refused_last_at: null,
      deleted_at: given.at,
    })
    .where('account_id', '=', given.accountId)
    .where('secret_hash', '=', given.secretHash)
    .where('deleted_at', 'is', null),
)

interface Given {
  readonly accountId: AccountId
  readonly at: Instant
}

/** Removes what names the person or lets the person in. Each statement finds its rows by an index on the account. */
const removals: readonly Prepared<Given, unknown>[] = [
  prepared((db, given: Given) => db.deleteFrom('backup_codes').where('account_id', '=', given.accountId)),
  prepared((db, given: Given) => db.deleteFrom('channels').where('account_id', '=', given.accountId)),
  prepared((db, given: Given) => db.deleteFrom('challenges').where('account_id', '=', given.accountId)),
  prepared((db, given: Given) => db.deleteFrom('passkeys').where('account_id', '=', given.accountId)),
  prepared((db, given: Given) => db.deleteFrom('devices').where('account_id', '=', given.accountId)),
  prepared((db, given: Given) =>
    db.updateTable('albums').set({ sealed_name: null }).where('account_id', '=', given.accountId),
  ),
  prepared((db, given: Given) =>
    db
      .updateTable('sessions')
      .set({ ended_at: given.at, device_id: null, passkey_id: null, sealed_name: null })
      .where('account_id', '=', given.accountId)
      .where('ended_at', 'is', null),
  ),
  prepared((db, given: Given) =>
    db
      .updateTable('links')
      .set((link) => ({
        revoked_at: link.fn.coalesce('revoked_at', link.val(given.at)),
        // The column must not be null; an empty value is no key.
        drop_public_key: new Uint8Array(0),
        verifier_hash: null,
        sealed_label: null,
        sealed_title: null,
      }))
      .where('account_id', '=', given.accountId),
  ),
  prepared((db, given: Given) =>
    db
      .updateTable('capabilities')
      .set({ revoked_at: given.at })
      .where('account_id', '=', given.accountId)
      .where('expires_at', '>', given.at)
      .where('revoked_at', 'is', null),
  ),
  prepared((db, given: Given) =>
    db
      .updateTable('drops')
      .set({ claim_id: null, claim_hash: null, leased_until: null })
      .where('account_id', '=', given.accountId),
  ),
]

/** An account is charged for every byte: without a charge it has no upload session, drop or asset. */
const markEmptied = prepared((db, given: Given) =>
  db
    .updateTable('accounts')
    .set({ emptied_at: given.at })
    .where('account_id', '=', given.accountId)
    .where('deleted_at', 'is not', null)
    .where('emptied_at', 'is', null)
    .where('used_bytes', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('shares')
            .select('share_seq')
            .where('shares.account_id', '=', given.accountId)
            .where('ended_at', 'is', null),
        ),
      ),
    ),
)

export function accountDeletionReads(db: Db): AccountDeletionReads {
  return {
    async listUnfinished(max) {
      return (await notEmptied.all(db, { max })).map((row) => row.account_id)
    },
  }
}

export function accountDeletionWrites(db: Db): AccountDeletionWrites {
  return {
    async begin(accountDeletion) {
      if ((await eraseAccount.changed(db, accountDeletion)) !== 1) return false
      for (const removal of removals) await removal.changed(db, accountDeletion)
      return true
    },
    async finish(accountId, at) {
      return (await markEmptied.changed(db, { accountId, at })) === 1
    },
  }
}
