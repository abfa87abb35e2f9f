import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

interface DatabaseOptions<Schema extends DBSchema> {
  readonly name: string
  readonly version: number
  /** Makes the stores of a database that is new. */
  readonly create: (database: IDBPDatabase<Schema>) => void
}

/** Opened for each use: open connections stop later versions from upgrading. Rejects when nothing is stored. */
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
