import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { isLocalPage } from '../address/localPage.ts'

interface DatabaseOptions<Schema extends DBSchema> {
  readonly name: string
  readonly version: number
  /** Makes the stores of a database that is new. */
  readonly create: (database: IDBPDatabase<Schema>) => void
}

/**
 * Opened for each use: open connections stop later versions from upgrading. Rejects when nothing is stored, as in a
 * local page: nothing opens its origin again after its program, and what it stored would stay.
 */
export async function withDatabase<Schema extends DBSchema, Result>(
  { name, version, create }: DatabaseOptions<Schema>,
  use: (database: IDBPDatabase<Schema>) => Promise<Result>,
): Promise<Result> {
  if (isLocalPage) throw new Error('a local page stores nothing')
  const database = await openDB<Schema>(name, version, { upgrade: create })
  try {
    return await use(database)
  } finally {
    database.close()
  }
}
