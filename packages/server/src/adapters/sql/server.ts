import type { Kysely } from 'kysely'
import type { ServerFact, ServerReads, ServerWrites } from '../../ports/store.ts'
import { prepared } from './prepared.ts'
import type { Schema } from './schema.ts'

const byName = prepared((db, given: { readonly name: ServerFact }) =>
  db.selectFrom('server_facts').select('value').where('name', '=', given.name),
)

const setting = prepared((db, given: { readonly name: ServerFact; readonly value: Uint8Array }) =>
  db
    .insertInto('server_facts')
    .values({ name: given.name, value: given.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: given.value })),
)

export function serverReads(db: Kysely<Schema>): ServerReads {
  return {
    async fact(name) {
      return (await byName.first(db, { name }))?.value
    },
  }
}

export function serverWrites(db: Kysely<Schema>): ServerWrites {
  return {
    async setFact(name, value) {
      await setting.changed(db, { name, value })
    },
  }
}
