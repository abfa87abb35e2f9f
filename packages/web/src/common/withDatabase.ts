import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

interface DatabaseOptions<Schema extends DBSchema> {
  readonly name: string
  readonly version: number
  /** Makes the stores of a database that is new. */
  readonly create: (database: IDBPDatabase<Schema>) => void
}

/** Opens the database for each use: an open connection would stop a later version of the page from upgrading it. Rejects when the browser stores nothing. */
export async function withDatabase<Schema extends DBSchema, Result>(
  { name, version, create }: DatabaseOptions<Schema>,
  use: (database: IDBPDatabase<Schema>) => Promise<Result>,
): Promise<Result> {
  const database = await openDB<Schema>(name, version, { upgrade: create })
  try {
    return await use(database)
  } finally {
    database.close()
  }
}
