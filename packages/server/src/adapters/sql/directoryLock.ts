import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Keeps a second one off a data directory. The operating system drops the lock when the process dies, however it dies. */
export interface DirectoryLock {
  release(): void
}

export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse'
}

/** What somebody has a directory for, each under a lock of its own: a backup runs beside a server, and two of either do not. */
type DirectoryUse = 'server' | 'backup'

const FOR_PEOPLE: Readonly<Record<DirectoryUse, (directory: string) => string>> = {
  server: (directory) =>
    `another server runs on the data directory ${directory}. Stop it first, or set DATA_DIR to another directory.`,
  backup: (directory) => `another backup of ${directory} is being made. Wait for it to end.`,
}

/** An exclusive lock on an otherwise empty database: SQLite's file locks are the ones that Node reaches without a native module. */
export async function lockDirectory(directory: string, use: DirectoryUse = 'server'): Promise<DirectoryLock> {
  const database = new DatabaseSync(join(directory, `${use}.lock`))
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    throw new DirectoryInUse(FOR_PEOPLE[use](directory), { cause: error })
  }
  return { release: () => database.close() }
}

// https://www.sqlite.org/rescode.html: the low byte is the primary code.
const BUSY = 5

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === BUSY
  )
}
