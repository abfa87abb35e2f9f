import { randomBytes } from 'node:crypto'
import { constants, existsSync, type Stats } from 'node:fs'
import { access, link, open, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isLacking } from '../../../ground/disk.ts'
import { StorageFull } from '../../../ground/storageErrors.ts'
import { createHealth } from './health.ts'

/** Keeps a second process off a data directory. The system releases the lock when the process dies. */
export interface DirectoryLock {
  release(): void
}

export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse'
}

/** Each use has its own lock: a backup can run beside a server, but not two servers or two backups at once. */
type DirectoryUse = 'server' | 'backup' | 'repair'

const FOR_PEOPLE: Readonly<Record<DirectoryUse, (directory: string) => string>> = {
  server: (directory) =>
    `another server uses the data directory ${directory}. Stop it first, or set DATA_DIR to another directory. If there is none, the disk has no locks (some network drives): use another disk.`,
  repair: (directory) => `another repair of ${directory} is under way. Wait for it to end.`,
  backup: (directory) => `another backup of ${directory} is being made. Wait for it to end.`,
}

/** An exclusive lock of an empty database: only SQLite gives Node file locks. Throws `DirectoryInUse`. */
export async function lockDirectory(directory: string, use: DirectoryUse = 'server'): Promise<DirectoryLock> {
  if (!existsSync(directory))
    throw new Error(`there is no directory ${directory}. Set DATA_DIR to the directory of a server that has run.`)
  const path = resolve(directory, `${use}.lock`)
  // As another user's command has left it: SQLite would not say which file it could not open.
  if (existsSync(path)) await access(path, constants.R_OK | constants.W_OK)
  else await createFor(directory, path)
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!isBusy(error)) {
      const judged = createHealth(path).judge(error)
      // Anything else is of the lock's file alone, and says nothing about the database.
      throw judged instanceof StorageFull ? judged : error
    }
    throw new DirectoryInUse(FOR_PEOPLE[use](directory), { cause: error })
  }
  return { release: () => database.close() }
}

/**
 * Root may run the command: what it creates belongs to the owner of the directory, whose next command needs it. So the
 * file gets its name last, as a killed command must not leave one of root there.
 */
async function createFor(directory: string, path: string): Promise<void> {
  const owner = await stat(directory)
  const temporary = `${path}.${randomBytes(8).toString('hex')}`
  try {
    await createOf(owner, temporary)
    await link(temporary, path).catch(async (error: unknown) => {
      if (!isLacking(error)) throw error
      await createOf(owner, path)
    })
  } catch (error) {
    // Another process was first.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(temporary, { force: true })
  }
}

async function createOf({ uid, gid }: Stats, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o644)
  try {
    if (process.geteuid?.() === 0) await file.chown(uid, gid)
  } finally {
    await file.close()
  }
}

// https://www.sqlite.org/rescode.html: the low byte is the primary code.
const BUSY = 5

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === BUSY
  )
}
