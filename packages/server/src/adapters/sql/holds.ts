import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { Hold, HoldReads, HoldWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { HoldTable } from './schema.ts'

interface Given {
  readonly ciphertextHash: Sha256Hex
}

const byHash = prepared((db, given: Given) =>
  db.selectFrom('holds').select(columnsOf('holds')).where('ciphertext_hash', '=', given.ciphertextHash),
)

const all = prepared((db, _given: object) =>
  db.selectFrom('holds').select(columnsOf('holds')).orderBy('created_at').orderBy('ciphertext_hash'),
)

const insertion = prepared((db, given: Hold) =>
  db
    .insertInto('holds')
    .values({ ciphertext_hash: given.ciphertextHash, reason: given.reason, created_at: given.createdAt })
    .onConflict((conflict) => conflict.column('ciphertext_hash').doNothing()),
)

const removal = prepared((db, given: Given) =>
  db.deleteFrom('holds').where('ciphertext_hash', '=', given.ciphertextHash),
)

export function holdReads(db: Db): HoldReads {
  return {
    async find(ciphertextHash) {
      const row = await byHash.first(db, { ciphertextHash })
      return row && holdOf(row)
    },
    async list() {
      return (await all.all(db, {})).map(holdOf)
    },
  }
}

export function holdWrites(db: Db): HoldWrites {
  return {
    async add(hold) {
      return (await insertion.changed(db, hold)) === 1
    },
    async remove(ciphertextHash) {
      return (await removal.changed(db, { ciphertextHash })) === 1
    },
  }
}

function holdOf(row: Selectable<HoldTable>): Hold {
  return { ciphertextHash: row.ciphertext_hash, reason: row.reason, createdAt: row.created_at }
}
