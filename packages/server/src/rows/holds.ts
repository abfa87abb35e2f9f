import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { all, changesOne, first, insertsUnless } from './statements.ts'
import { columnsOf } from './tables.ts'

export const holdReads = {
  find: first((db, ciphertextHash: Sha256Hex) =>
    db.selectFrom('holds').select(columnsOf('holds')).where('ciphertextHash', '=', ciphertextHash),
  ),
  /** Oldest first. */
  list: all((db) => db.selectFrom('holds').select(columnsOf('holds')).orderBy('createdAt').orderBy('ciphertextHash')),
}

export const holdWrites = {
  /** False, and nothing changed, if the content is on hold already. */
  add: insertsUnless('holds', 'ciphertextHash'),
  /** False if the content was not on hold. */
  remove: changesOne((db, ciphertextHash: Sha256Hex) =>
    db.deleteFrom('holds').where('ciphertextHash', '=', ciphertextHash),
  ),
}
