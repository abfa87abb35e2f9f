import type { Turns } from '@blindkeep/protocol/turns'
import { StorageUnavailable } from '../../../ports/store.ts'
import type { Db } from '../../../rows/db.ts'
import { MAX_WAITING } from '../shared/turns.ts'
import type { SqliteConnection } from './connection.ts'
import type { Health } from './health.ts'

/** Works that share one commit. It waits for a sync of the disk, which costs more than all else together. */
export const MAX_WORKS_PER_COMMIT = 256

/**
 * Runs works one after another. A failed work is undone, the other works of its commit are not. All works of a commit
 * are acknowledged together, once the commit is durable.
 */
export interface GroupCommit {
  /** Rejects with the error of `work` or of its commit. `undoes` decides whether a result undoes its work. */
  write<Result>(work: (db: Db) => Promise<Result>, undoes: (result: Result) => boolean): Promise<Result>
}

interface Waiting {
  /** Never rejects. */
  run(): Promise<Done>
  fail(error: unknown): void
}

interface Done {
  readonly keep: boolean
  readonly acknowledge: () => void
}

export function createGroupCommit(parts: {
  readonly connection: SqliteConnection
  readonly turns: Turns
  readonly health: Health
}): GroupCommit {
  const { connection, turns, health } = parts
  const waiting: Waiting[] = []
  let scheduled = false

  /** Commits after all that is ready was handled, so that more works share it. Later works wait for the next. */
  function schedule(): void {
    scheduled = true
    setImmediate(() => {
      turns.take(commitNext).catch(failAll)
    })
  }

  async function commitNext(): Promise<void> {
    await commitTogether(waiting.splice(0, MAX_WORKS_PER_COMMIT))
    scheduled = false
    if (waiting.length > 0) schedule()
  }

  /** No turn was available. */
  function failAll(error: unknown): void {
    scheduled = false
    for (const work of waiting.splice(0)) work.fail(error)
  }

  async function commitTogether(works: readonly Waiting[]): Promise<void> {
    const done: Done[] = []
    try {
      connection.control('begin immediate')
      for (const work of works) done.push(await runOne(work))
      connection.control(done.some(({ keep }) => keep) ? 'commit' : 'rollback')
      shortenLog()
    } catch (error) {
      rollBackQuietly()
      const failure = health.judge(error)
      for (const work of works) work.fail(failure)
      return
    }
    for (const { acknowledge } of done) acknowledge()
  }

  /** What was committed stays so in the log, unless the database cannot be trusted any more. */
  function shortenLog(): void {
    try {
      connection.checkpoint()
    } catch {
      health.check()
    }
  }

  async function runOne(work: Waiting): Promise<Done> {
    connection.control('savepoint work')
    const done = await work.run()
    // On some failures, such as a full disk, SQLite undoes the whole transaction: the works before this one are
    // lost too.
    if (!connection.inTransaction()) throw new StorageUnavailable('The database has undone the transaction')
    if (!done.keep) connection.control('rollback to work')
    connection.control('release work')
    return done
  }

  function rollBackQuietly(): void {
    try {
      if (connection.inTransaction()) connection.control('rollback')
    } catch {
      // The caller reports the first failure. If the transaction stays open, every later begin fails.
    }
  }

  return {
    write(work, undoes) {
      return new Promise((resolve, reject) => {
        if (waiting.length >= MAX_WAITING) throw new StorageUnavailable('Too many requests wait for the database')
        waiting.push({
          async run() {
            try {
              const result = await connection.lend(work)
              return { keep: !undoes(result), acknowledge: () => resolve(result) }
            } catch (error) {
              return { keep: false, acknowledge: () => reject(error) }
            }
          },
          fail: reject,
        })
        if (!scheduled) schedule()
      })
    },
  }
}
