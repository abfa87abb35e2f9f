/**
 * Whether the data directory of a stopped server is consistent: `fsck --deep`, by the operator's own rules, on a copy
 * of the database, so that the next start still recovers from exactly what the last process left.
 */
import { constants } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '../../packages/server/src/adapters/sql/sqlite/store.ts'
import { systemClock } from '../../packages/server/src/adapters/system/clock.ts'
import { formatFinding } from '../../packages/server/src/domain/fsck/finding.ts'
import { examine } from '../../packages/server/src/domain/fsck/fsck.ts'
import { type Memory, newCounts, newMemory } from '../../packages/server/src/domain/fsck/options.ts'
import { createVerifiers } from '../../packages/server/src/domain/fsck/verifiers.ts'
import { plainFiles, unlessMissing } from './plainFiles.ts'
import { rowsOf } from './rows.ts'

export interface Oracle {
  /**
   * Faults as sentences. Receipts and kept bytes never change, so those that an earlier examination found intact are
   * not read again. `isSwept`: the load has stopped and a sweep has run since, so there must be no open session and no
   * object to remove. `also` runs further checks on the same copy.
   */
  examine(options?: {
    readonly isSwept?: boolean
    readonly also?: (database: DatabaseSync) => readonly string[]
  }): Promise<readonly string[]>
}

/**
 * `dataDirectory` has the database and the blobs in their default places. `copyRows` copies the database to a path;
 * without it, the files of a stopped server are copied.
 */
export function createOracle(
  dataDirectory: string,
  copyRows: (path: string) => Promise<void> = (path) => copyFiles(dataDirectory, path),
): Oracle {
  const memory = newMemory()
  return {
    examine: ({ isSwept = false, also = () => [] } = {}) =>
      withCopy(copyRows, async (path) => [
        ...(await fsck({ path, blobsDirectory: join(dataDirectory, 'blobs'), memory })),
        ...inDatabase(path, (database) => [...(isSwept ? leftOver(database) : []), ...also(database)]),
      ]),
  }
}

interface Directory {
  readonly path: string
  readonly blobsDirectory: string
  readonly memory: Memory
}

/** `isUnpruned`: no session of these runs is old enough to have been pruned. */
async function fsck({ path, blobsDirectory, memory }: Directory): Promise<readonly string[]> {
  const store = await openSqliteStore({ path, asItIs: true })
  try {
    const ports = { store, objects: plainFiles(blobsDirectory), clock: systemClock, verify: createVerifiers() }
    const { signal } = new AbortController()
    const faults: string[] = []
    const examination = { deep: true, isUnpruned: true, signal, counts: newCounts(), memory }
    for await (const finding of examine(ports, examination)) faults.push(formatFinding(finding))
    return faults
  } finally {
    await store.close()
  }
}

function leftOver(database: DatabaseSync): readonly string[] {
  const unswept = rowsOf(database, `select location, state from objects where state not in ('kept', 'staged')`)
  const stuck = rowsOf(database, `select upload_id, state from uploads where state in ('open', 'finishing')`)
  return [
    ...unswept.map((row) => `a sweep has left an object that is ${row.text('state')}: ${row.text('location')}`),
    ...stuck.map((row) => `a session is still ${row.text('state')}: ${row.text('upload_id')}`),
  ]
}

function inDatabase<Result>(path: string, work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

async function withCopy<Result>(
  copyRows: (path: string) => Promise<void>,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-oracle-'))
  try {
    const path = join(directory, 'copy.sqlite')
    await copyRows(path)
    return await work(path)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The database and its write-ahead log, without the log's index, which is not valid after a crash. */
async function copyFiles(dataDirectory: string, path: string): Promise<void> {
  const original = join(dataDirectory, 'blindkeep.sqlite')
  await copyFile(original, path, constants.COPYFILE_FICLONE)
  await copyFile(`${original}-wal`, `${path}-wal`, constants.COPYFILE_FICLONE).catch(unlessMissing)
}
