import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { MovingDatabase } from '../../../ports/move.ts'
import { copySqlite } from '../sqlite/copy.ts'
import { openSqliteStore } from '../sqlite/store.ts'
import { syncPath } from '../sqlite/syncPath.ts'
import { createArrivingParts } from './arrivingParts.ts'
import { fillPostgres, isFilledFrom, markUnfinished } from './filledPostgres.ts'
import { removeDatabase, withDatabase } from './restoredDatabase.ts'
import { readSnapshot } from './snapshot.ts'

/** Endings of the files beside a database that is being moved, and of the one that was. */
const MOVING = '.moving'
const DONE = '.moving-done'
const MOVED = '.moved'
/** Where a move that has begun goes: the list of what is done holds for this place alone. */
const GOAL = '.moving-to'

/** Where the rows go. */
export type RowsTarget =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }

/** Throws an error for people if the data in the database at `path` is being moved away, or was. */
export function refuseMoved(path: string): void {
  refuseMovedAway(path)
  refuseBeingMoved(path)
}

/** As `refuseMoved`, for the move itself, which may go on. */
export function refuseMovedAway(path: string): void {
  if (existsSync(path + MOVED))
    throw new Error(
      `${readFileSync(path + MOVED, 'utf8').trim()} Start it, and run its commands, there. To come back, make a backup there and restore it into a new DATA_DIR. Only if no server ever started there: delete ${path}${MOVED}.`,
    )
}

function refuseOtherGoal(path: string, note: string): void {
  if (!existsSync(path + MOVING)) return
  const begun = existsSync(path + GOAL) ? readFileSync(path + GOAL, 'utf8').trim() : 'unknown'
  if (begun !== note)
    throw new Error(
      `a move to another place was interrupted. It would have ended with: "${begun}" Run \`blindkeep-server migrate-to\` with the same arguments as then. To begin again with others, delete ${path}${MOVING}; what is at the first place has then no use.`,
    )
}

/** Whether the data in the database at `path` was moved to the place that `note` names. */
export function wasMovedTo(path: string, note: string): boolean {
  return existsSync(path + MOVED) && readFileSync(path + MOVED, 'utf8').trim() === note
}

function refuseBeingMoved(path: string): void {
  if (existsSync(path + MOVING))
    throw new Error(
      `a move of this server to another database was interrupted. Run \`blindkeep-server migrate-to\` again, with the same arguments. To stay here, delete ${path}${MOVING}; the target has then no use.`,
    )
}

/** Nothing else may have `path` open. `note`: where the server is, without secrets. */
export function createMovingDatabase(options: {
  readonly path: string
  readonly to: RowsTarget
  readonly note: string
}): MovingDatabase & { close(): void } {
  const { path, to, note } = options
  refuseMovedAway(path)
  const copy = path + MOVING
  refuseOtherGoal(path, note)
  let done: DatabaseSync | undefined

  /** Only saves work: what is not in it is read again. */
  function doneList(): DatabaseSync {
    done ??= new DatabaseSync(path + DONE)
    done.exec('pragma synchronous = off; create table if not exists done (location text primary key) without rowid')
    return done
  }

  return {
    isBegun: () => existsSync(copy),
    async begin() {
      if (existsSync(copy)) return
      if (to.kind === 'postgres') await markUnfinished(to.url)
      else if (existsSync(to.path)) throw new Error(`there is ${to.path} already, and nothing is replaced`)
      removeDatabase(path + DONE)
      removeDatabase(`${copy}.new`)
      await copySqlite(path, `${copy}.new`)
      clearMarks(`${copy}.new`)
      writeFileSync(path + GOAL, `${note}\n`, { mode: 0o600 })
      syncPath(path + GOAL)
      renameSync(`${copy}.new`, copy)
      syncPath(dirname(path))
    },
    async isFilled() {
      if (to.kind === 'sqlite') return existsSync(to.path)
      return isFilledFrom(to.url, copy)
    },
    open: () => openSqliteStore({ path: copy }),
    snapshot: () => readSnapshot(copy),
    parts: createArrivingParts(copy),
    isDone: (location) => doneList().prepare('select 1 from done where location = ?').get(location) !== undefined,
    done: (location) => void doneList().prepare('insert or ignore into done (location) values (?)').run(location),
    async fill(onRows) {
      if (to.kind === 'postgres') return fillPostgres(to.url, copy, onRows)
      removeDatabase(`${to.path}.new`)
      await copySqlite(copy, `${to.path}.new`)
      renameSync(`${to.path}.new`, to.path)
      syncPath(dirname(to.path))
    },
    async finish() {
      const written = `${path + MOVED}.new`
      writeFileSync(written, `${note}\n`, { mode: 0o600 })
      syncPath(written)
      renameSync(written, path + MOVED)
      syncPath(dirname(path))
      done?.close()
      done = undefined
      removeDatabase(path + DONE)
      removeDatabase(copy)
      rmSync(path + GOAL, { force: true })
    },
    close() {
      done?.close()
      done = undefined
    },
  }
}

/** Rows about the source's bytes and processes. Settings too: the first node sets them, as on a new server. */
function clearMarks(path: string): void {
  withDatabase(path, (database) =>
    database.exec(
      `delete from parts; delete from nodes; delete from pauses; delete from seats; delete from server_facts where name in ('store_id', 'settings')`,
    ),
  )
}
