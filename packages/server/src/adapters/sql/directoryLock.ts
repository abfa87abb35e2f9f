import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Keeps a second server off a data directory. The operating system drops the lock when the process dies, however it dies. */
export interface DirectoryLock {
  release(): void
}

export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse'
}

/** An exclusive lock on an otherwise empty database: SQLite's file locks are the ones that Node reaches without a native module. */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const database = new DatabaseSync(join(directory, 'server.lock'))
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    throw new DirectoryInUse(
      `another server runs on the data directory ${directory}. Stop it first, or set DATA_DIR to another directory.`,
      { cause },
    )
  }
  return { release: () => database.close() }
}
