/** Measures rows one after the other, and reports those that failed. */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CAN_WATCH, watchOtherWork } from './otherWork.ts'
import { machineNow, type Report } from './report.ts'
import { measureRow, type Result, type Row, type RowOptions } from './row.ts'
import { browserUpload } from './rows/browserUpload.ts'
import { deepVerify } from './rows/deepVerify.ts'
import { discovery } from './rows/discovery.ts'
import { downloads, downloadsFromObjectStore } from './rows/downloads.ts'
import { growthOfStreams } from './rows/eventStreams.ts'
import { find } from './rows/find.ts'
import { growthOfChunks, growthOfDropClients, growthOfIngestClients, growthOfUploads } from './rows/growth.ts'
import { inbox } from './rows/inbox.ts'
import { ingest } from './rows/ingest.ts'
import { growthOfBlobs, manyBlobs } from './rows/manyBlobs.ts'
import {
  dropsThroughTwoNodes,
  dropsToObjectStore,
  ingestToObjectStore,
  largestVerifyInObjectStore,
  verifyInObjectStore,
} from './rows/objectStore.ts'
import { dropsOnPostgres, quotaOnPostgres, receiptsOnPostgres, verifyOnPostgres } from './rows/postgres.ts'
import { proofCheck, proofsSaved } from './rows/proofs.ts'
import { quota } from './rows/quota.ts'
import { receipts } from './rows/receipts.ts'
import { signIns } from './rows/signIns.ts'
import { bytesWritten, mainThreadTime } from './rows/smallDropCost.ts'
import { smallDrops } from './rows/smallDrops.ts'
import { start } from './rows/start.ts'
import { structuralVerify } from './rows/structuralVerify.ts'
import { terminalDrop } from './rows/terminalDrop.ts'
import { uploadMemory } from './rows/uploadMemory.ts'

/** In the order of their ids, then those on PostgreSQL and on an object store, then the tables of growth. */
export const ROWS: readonly Row[] = [
  ingest,
  smallDrops,
  receipts,
  quota,
  discovery,
  structuralVerify,
  manyBlobs,
  deepVerify,
  downloads,
  uploadMemory,
  browserUpload,
  start,
  inbox,
  mainThreadTime,
  bytesWritten,
  terminalDrop,
  signIns,
  find,
  proofCheck,
  proofsSaved,
  dropsOnPostgres,
  receiptsOnPostgres,
  quotaOnPostgres,
  verifyOnPostgres,
  ingestToObjectStore,
  dropsToObjectStore,
  dropsThroughTwoNodes,
  verifyInObjectStore,
  largestVerifyInObjectStore,
  downloadsFromObjectStore,
  growthOfDropClients,
  growthOfIngestClients,
  growthOfChunks,
  growthOfUploads,
  growthOfBlobs,
  growthOfStreams,
]

interface Run {
  readonly rows: readonly Row[]
  readonly rounds: number
  /** Small sizes and no warm-up: shows that rows work, not how fast they are. */
  readonly isQuick: boolean
  readonly print: (text: string) => void
}

export async function runRows({ rows, rounds, isQuick, print }: Run): Promise<Report> {
  const machine = machineNow()
  const isWatched = CAN_WATCH && !isQuick
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-bench-'))
  const removeAll = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', removeAll)
  const results: Result[] = []
  const failures: Report['failures'][number][] = []
  const how = { warmups: isQuick ? 0 : 1, rounds, print, watch: isWatched ? watchOtherWork : undefined }
  await untilClosed(join(directory, 'shared'), isQuick, async (run) => {
    for (const row of rows) {
      try {
        const measured = untilClosed(join(directory, row.name), isQuick, async (options) =>
          measureRow(row, await row.open({ ...options, run: isQuick ? run : undefined }), how),
        )
        results.push(...(await measured))
      } catch (error) {
        failures.push({ name: row.name, message: error instanceof Error ? error.message : String(error) })
      }
    }
  })
  removeAll()
  process.removeListener('exit', removeAll)
  return { machine, rounds, isQuick, isWatched, results, failures }
}

/** Does the work with a new directory, then closes what it has opened, also after a failure. */
async function untilClosed<Value>(
  directory: string,
  isQuick: boolean,
  work: (options: RowOptions) => Promise<Value>,
): Promise<Value> {
  const closings: (() => Promise<unknown>)[] = []
  await mkdir(directory)
  try {
    return await work({ directory, isQuick, atEnd: (close) => closings.push(close) })
  } finally {
    // What was opened last uses what was opened before.
    for (const close of closings.reverse()) await close().catch(() => undefined)
    // `rm` holds an object for each of millions of files, more than the heap takes.
    rmSync(directory, { recursive: true, force: true })
  }
}
