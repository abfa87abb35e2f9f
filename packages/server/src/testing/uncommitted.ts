import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { answerOf } from '../adapters/sql/sqlite/connection.ts'
import { createHealth } from '../adapters/sql/sqlite/health.ts'
import type { Store } from '../ports/store.ts'
import { createDb, type Db, sqliteKind } from '../rows/db.ts'
import { createReadTx } from '../rows/nouns.ts'
import { defined, type World } from './world.ts'

/** A copy of a world's rows. A test damages it inside a transaction that is never committed. */
interface Uncommitted {
  /** Runs `damage` without checks and references, and undoes it after `work`. Throws when it changes no row. */
  with<Result>(damage: string, work: (store: Pick<Store, 'read'>) => Promise<Result>): Promise<Result>
  /** Another damage, within `work`. */
  also(damage: string): void
  close(): void
}

let copies = 0

export function openUncommitted({ databasePath }: World): Uncommitted {
  copies += 1
  const path = `${defined(databasePath)}.uncommitted-${copies}`
  copyFileSync(defined(databasePath), path)
  copyFileSync(`${databasePath}-wal`, `${path}-wal`)
  const database = new DatabaseSync(path)
  database.exec('pragma foreign_keys = off; pragma ignore_check_constraints = on')
  const db = dbOver(database)
  function change(damage: string): void {
    if (Number(database.prepare(damage).run().changes) === 0) throw new Error(`no row was changed by ${damage}`)
  }
  return {
    also: change,
    async with(damage, work) {
      database.exec('begin')
      try {
        change(damage)
        return await work({ read: (ask) => ask(createReadTx(db)) })
      } finally {
        database.exec('rollback')
      }
    },
    close: () => database.close(),
  }
}

function dbOver(database: DatabaseSync): Db {
  return createDb(sqliteKind, async (query) => {
    try {
      return answerOf(database, query)
    } catch (error) {
      throw createHealth().judge(error)
    }
  })
}
