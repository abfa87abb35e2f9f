/**
 * Accounts that their owners deleted. The row stays, because other rows refer to it, but keeps nothing about a person.
 */
import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import { sql } from 'kysely'
import type { Db } from './db.ts'
import { changesOne, runs, values } from './statements.ts'

export interface AccountDeletion {
  readonly accountId: AccountId
  /** The stored hash of the key that the owner proved. */
  readonly signInKeyHash: Uint8Array
  readonly at: Instant
}

/** Not an e-mail address, because it has no @: no client can register it. As unique as the id. */
const DELETED_EMAIL = sql<string>`'deleted:' || account_id`

export const accountDeletionReads = {
  /** At most `max` deleted accounts that are not emptied yet, in the order of deletion. */
  listUnfinished: values((db, max: number) =>
    db
      .selectFrom('accounts')
      .select('accountId')
      .where('deletedAt', 'is not', null)
      .where('emptiedAt', 'is', null)
      .orderBy('deletedAt')
      .limit(max),
  ),
}

const eraseAccount = changesOne((db, { accountId, signInKeyHash, at }: AccountDeletion) =>
  db
    .updateTable('accounts')
    .set({
      email: DELETED_EMAIL,
      signInKeyHash: null,
      salt: null,
      sealedAccountKey: null,
      sealedRecoveryKey: null,
      recoveryKeyHash: null,
      recoveryConfirmedAt: null,
      totpSealed: null,
      totpConfirmedAt: null,
      totpLastStep: null,
      softLimitBytes: null,
      hardLimitBytes: null,
      exceededSince: null,
      refusedWhy: null,
      refusedCount: 0,
      refusedFirstAt: null,
      refusedLastAt: null,
      deletedAt: at,
    })
    .where('accountId', '=', accountId)
    .where('signInKeyHash', '=', signInKeyHash)
    .where('deletedAt', 'is', null),
)

/**
 * Removes what names the person or lets the person in. Each statement finds its rows by an index on the account, but
 * for invites, which are few: each is a command of the operator.
 */
const removals = [
  runs((db, { accountId }: AccountDeletion) => db.deleteFrom('backupCodes').where('accountId', '=', accountId)),
  runs((db, { accountId }: AccountDeletion) => db.deleteFrom('channels').where('accountId', '=', accountId)),
  runs((db, { accountId }: AccountDeletion) => db.deleteFrom('challenges').where('accountId', '=', accountId)),
  runs((db, { accountId }: AccountDeletion) => db.deleteFrom('passkeys').where('accountId', '=', accountId)),
  runs((db, { accountId }: AccountDeletion) =>
    db.updateTable('invites').set({ note: null }).where('usedBy', '=', accountId).where('note', 'is not', null),
  ),
  runs((db, { accountId }: AccountDeletion) => db.deleteFrom('devices').where('accountId', '=', accountId)),
  runs((db, { accountId }: AccountDeletion) =>
    db.updateTable('albums').set({ sealedName: null }).where('accountId', '=', accountId),
  ),
  runs((db, { accountId, at }: AccountDeletion) =>
    db
      .updateTable('sessions')
      .set({ endedAt: at, deviceId: null, passkeyId: null, sealedName: null })
      .where('accountId', '=', accountId)
      .where('endedAt', 'is', null),
  ),
  runs((db, { accountId, at }: AccountDeletion) =>
    db
      .updateTable('links')
      .set((link) => ({
        revokedAt: link.fn.coalesce('revokedAt', link.val(at)),
        // The column must not be null; an empty value is no key.
        dropPublicKey: new Uint8Array(0),
        verifierHash: null,
        sealedLabel: null,
        sealedTitle: null,
        refusals: null,
      }))
      .where('accountId', '=', accountId),
  ),
  runs((db, { accountId, at }: AccountDeletion) =>
    db
      .updateTable('capabilities')
      .set({ revokedAt: at })
      .where('accountId', '=', accountId)
      .where('expiresAt', '>', at)
      .where('revokedAt', 'is', null),
  ),
  runs((db, { accountId }: AccountDeletion) =>
    db
      .updateTable('drops')
      .set({ claimId: null, claimHash: null, leasedUntil: null })
      .where('accountId', '=', accountId),
  ),
]

export const accountDeletionWrites = {
  /**
   * Deletes an account if `signInKeyHash` is still its hash. Frees its e-mail address and removes everything that names
   * the person, opens sealed data or lets the person in: hashes of keys, salts, sealed keys, the second factor and its
   * codes, challenges, devices, passkeys, names of albums, labels, keys and verifiers of links, the operator's note on
   * the invite that the account was made with. Ends its sessions, revokes its links and capabilities, and releases all
   * claims on its drops. Its upload sessions, drops, assets and shares stay. False, and nothing changed, if its key is
   * another one or it was deleted before.
   */
  async begin(db: Db, accountDeletion: AccountDeletion): Promise<boolean> {
    if (!(await eraseAccount(db, accountDeletion))) return false
    for (const removal of removals) await removal(db, accountDeletion)
    return true
  },
  /**
   * Records that a deleted account is empty. False, and nothing changed, while the account is charged for bytes or has
   * shares. An account is charged for every byte: without a charge it has no upload session, drop or asset.
   */
  finish: changesOne((db, accountId: AccountId, at: Instant) =>
    db
      .updateTable('accounts')
      .set({ emptiedAt: at })
      .where('accountId', '=', accountId)
      .where('deletedAt', 'is not', null)
      .where('emptiedAt', 'is', null)
      .where('usedBytes', '=', 0)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('shares')
              .select('shareSeq')
              .where('shares.accountId', '=', accountId)
              .where('endedAt', 'is', null),
          ),
        ),
      ),
  ),
}
