import { runs, value } from './statements.ts'
import type { ServerFact } from './tables/server.ts'

export const serverReads = {
  fact: value((db, name: ServerFact) => db.selectFrom('serverFacts').select('value').where('name', '=', name)),
}

export const serverWrites = {
  setFact: runs((db, name: ServerFact, value: Uint8Array) =>
    db
      .insertInto('serverFacts')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
  ),
  removeFact: runs((db, name: ServerFact) => db.deleteFrom('serverFacts').where('name', '=', name)),
}
