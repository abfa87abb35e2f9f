import { migrations, refuseUnconvertible } from '../adapters/sql/migrations/migrations.ts'
import { sqliteSchema } from '../adapters/sql/sqlite/schema.ts'
import { copyBeforeUpgrade, outdateCopies } from '../adapters/sql/sqlite/upgradeCopies.ts'
import type { Log } from '../ports/log.ts'
import type { LogHead } from '../ports/store.ts'

/**
 * Copies the SQLite database at `path` if this version is going to change its schema, and logs where the copy is.
 * Returns its path. The caller keeps other servers out. Throws `UpgradeNotCopied`, or `DatabaseUnconvertible`.
 */
export async function copyIfUpgraded(path: string, log: Pick<Log, 'info'>): Promise<string | undefined> {
  const state = await sqliteSchema(path)
  refuseUnconvertible(state)
  const { done } = state
  if (done === 0 || done >= migrations.length) return undefined
  const facts = { migration: done, to: migrations.length }
  log.info('the database is copied before its upgrade', facts)
  const { path: copy } = await copyBeforeUpgrade(path, done)
  log.info('the database was copied before its upgrade', { ...facts, copy })
  return copy
}

/** Call the result after commits of receipts: the first makes copies of `path` outdated. Never throws. */
export function outdatingCopies(path: string, log: Pick<Log, 'info' | 'warn'>): (head: LogHead) => void {
  let isDone = false
  return ({ receiptSeq }) => {
    if (isDone) return
    isDone = true
    try {
      const copies = outdateCopies(path)
      if (copies > 0) log.info('the copies from before upgrades lack a receipt now', { copies, receiptSeq })
    } catch (error) {
      log.warn('the copies from before upgrades could not be marked as outdated: do not put them back', { error })
    }
  }
}
