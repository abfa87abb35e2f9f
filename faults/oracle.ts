/**
 * Whether a data directory of a server that does not run is whole: rows against rows, rows against files, and the receipt log against itself.
 * It looks at a copy of the database, so that the next start recovers by itself from exactly what the last process left.
 */
import { constants } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CheckedLog, checkLog } from './oracle/chainChecks.ts'
import { checkCopies } from './oracle/copyChecks.ts'
import { checkRows } from './oracle/rowChecks.ts'

export interface Oracle {
  /**
   * Faults as sentences; none when all is whole. What earlier examinations found good and nothing may change (receipts, kept bytes) is not read again.
   * `also` asks questions of its own of the same instant.
   */
  examine(options?: {
    readonly isSwept?: boolean
    readonly also?: (database: DatabaseSync) => readonly string[]
  }): Promise<readonly string[]>
}

/** `dataDirectory` has the database and the blobs where a server keeps them unless it is told otherwise. */
export function createOracle(dataDirectory: string): Oracle {
  const checked: CheckedLog = { last: undefined }
  const compared = new Set<string>()
  return {
    examine: ({ isSwept = false, also = () => [] } = {}) =>
      withDatabase(dataDirectory, async (database) => [
        ...checkRows(database),
        ...(await checkCopies({ database, blobsDirectory: join(dataDirectory, 'blobs'), compared, isSwept })),
        ...(await checkLog(database, checked)),
        ...also(database),
      ]),
  }
}

/** A copy of the database and its log; the log's index is left behind, as no process survives a crash in which it would still be right. */
async function withDatabase<Result>(
  dataDirectory: string,
  work: (database: DatabaseSync) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-oracle-'))
  try {
    const path = join(directory, 'copy.sqlite')
    const original = join(dataDirectory, 'blindkeep.sqlite')
    await copyFile(original, path, constants.COPYFILE_FICLONE)
    await copyFile(`${original}-wal`, `${path}-wal`, constants.COPYFILE_FICLONE).catch(unlessMissing)
    const database = new DatabaseSync(path)
    try {
      return await work(database)
    } finally {
      database.close()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}
