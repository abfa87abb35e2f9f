import type { ServerFact, ServerReads, ServerWrites } from '../../ports/store.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'

const byName = prepared((db, given: { readonly name: ServerFact }) =>
  db.selectFrom('server_facts').select('value').where('name', '=', given.name),
)

const setting = prepared((db, given: { readonly name: ServerFact; readonly value: Uint8Array }) =>
  db
    .insertInto('server_facts')
    .values({ name: given.name, value: given.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: given.value })),
)

export function serverReads(db: Db): ServerReads {
  return {
    async fact(name) {
      return (await byName.first(db, { name }))?.value
    },
  }
}

export function serverWrites(db: Db): ServerWrites {
  return {
    async setFact(name, value) {
      await setting.changed(db, { name, value })
    },
  }
}
