import type { Instant, KeyId } from '@blindkeep/protocol/ids'
import { all, changesOne, first, inserts, runs } from './statements.ts'
import { columnsOf } from './tables.ts'

export const keyReads = {
  /** Oldest first, the active one last. */
  attestationKeys: all((db) =>
    db
      .selectFrom('attestationKeys')
      .select(columnsOf('attestationKeys'))
      .orderBy((key) => key('activeTo', 'is', null))
      .orderBy('activeFrom')
      .orderBy('keySeq'),
  ),
  /** The only key without `activeTo`. Undefined before the first key. */
  activeAttestationKey: first((db) =>
    db.selectFrom('attestationKeys').select(columnsOf('attestationKeys')).where('activeTo', 'is', null),
  ),
  /** In the order of the keys that they begin. */
  keyChanges: all((db) =>
    db
      .selectFrom('keyChanges')
      .innerJoin('attestationKeys', 'attestationKeys.keyId', 'keyChanges.keyId')
      .select(['keyChanges.keyId', 'leave', 'arrive'])
      .orderBy('keySeq'),
  ),
}

export const keyWrites = {
  /** Throws, and the transaction fails, if the key exists already or would be a second active one. */
  insertAttestationKey: inserts('attestationKeys'),
  /** In the transaction that inserts its key. */
  insertKeyChange: inserts('keyChanges'),
  /** Of a server that has signed nothing: no receipt and no statement names the key. */
  removeUnusedKey: runs((db, keyId: KeyId) => db.deleteFrom('attestationKeys').where('keyId', '=', keyId)),
  /** Ends the active key. False, and nothing changed, if `keyId` is not the active key: an end never changes. */
  retireAttestationKey: changesOne((db, keyId: KeyId, activeTo: Instant) =>
    db.updateTable('attestationKeys').set({ activeTo }).where('keyId', '=', keyId).where('activeTo', 'is', null),
  ),
}
