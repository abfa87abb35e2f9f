import type { Kysely } from 'kysely'
import { StorageUnavailable } from '../../ports/store.ts'
import type { Schema } from './schema.ts'
import type { SqliteConnection } from './sqliteConnection.ts'
import type { Health } from './sqliteHealth.ts'
import { type Turns, MAX_WAITING } from './turns.ts'

/** A commit waits for a sync of the disk, which costs more than everything else together; so many works may share one. */
export const MAX_WORKS_PER_COMMIT = 256

/** Runs works one after another, each undone alone when it fails, and acknowledges all of a commit's at once when it is durable. */
export interface GroupCommit {
  /** Rejects with what `work` rejects with, or with why its commit failed. `undoes` tells a result that undoes its work. */
  write<Result>(work: (db: Kysely<Schema>) => Promise<Result>, undoes: (result: Result) => boolean): Promise<Result>
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

  /** After the event loop has taken in all that is ready: their works share the commit. While it runs, the next ones gather. */
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

  /** When there was not even a turn to be had. */
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
    } catch (error) {
      rollBackQuietly()
      const failure = health.judge(error)
      for (const work of works) work.fail(failure)
      return
    }
    for (const { acknowledge } of done) acknowledge()
  }

  async function runOne(work: Waiting): Promise<Done> {
    connection.control('savepoint work')
    const done = await work.run()
    // SQLite undoes the whole transaction by itself on some failures, a full disk among them: the works before are lost too.
    if (!connection.inTransaction()) throw new StorageUnavailable('The database has undone the transaction')
    if (!done.keep) connection.control('rollback to work')
    connection.control('release work')
    return done
  }

  function rollBackQuietly(): void {
    try {
      if (connection.inTransaction()) connection.control('rollback')
    } catch {
      // The failure that led here is the one to report; a transaction that stays open fails every later begin.
    }
  }

  return {
    write(work, undoes) {
      return new Promise((resolve, reject) => {
        if (waiting.length >= MAX_WAITING) throw new StorageUnavailable('Too many wait for the database')
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
