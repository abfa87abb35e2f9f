import type { AccountId, Instant, PasskeyId } from '@blindkeep/protocol/ids'
import { all, changesOne, first, insertsUnless, runs } from './statements.ts'
import { columnsOf } from './tables.ts'

export const passkeyReads = {
  find: first((db, passkeyId: PasskeyId) =>
    db.selectFrom('passkeys').select(columnsOf('passkeys')).where('passkeyId', '=', passkeyId),
  ),
  /** Oldest first. */
  listOf: all((db, accountId: AccountId) =>
    db.selectFrom('passkeys').select(columnsOf('passkeys')).where('accountId', '=', accountId).orderBy('passkeySeq'),
  ),
}

export const passkeyWrites = {
  /** False if the id is taken, by any account. */
  insert: insertsUnless('passkeys', 'passkeyId'),
  /** Undefined removes the name. */
  setName: runs((db, passkeyId: PasskeyId, sealedName: Uint8Array | undefined) =>
    db.updateTable('passkeys').set({ sealedName }).where('passkeyId', '=', passkeyId),
  ),
  noteUse: runs((db, passkeyId: PasskeyId, at: Instant) =>
    db.updateTable('passkeys').set({ lastUsedAt: at }).where('passkeyId', '=', passkeyId),
  ),
  /** False if the account has no such passkey. */
  remove: changesOne((db, passkeyId: PasskeyId, accountId: AccountId) =>
    db.deleteFrom('passkeys').where('passkeyId', '=', passkeyId).where('accountId', '=', accountId),
  ),
  removeOf: runs((db, accountId: AccountId) => db.deleteFrom('passkeys').where('accountId', '=', accountId)),
}
