/** P14, P15: what a small drop costs the server, as Linux counts it. */
import { randomBytes } from 'node:crypto'
import { costOf, type ProcessCost } from '../processCost.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, OpenRow, Row, RowOptions } from '../row.ts'
import { BARE_NAMES, type BareKind, dropsTo, removeObjects, startBareUploads, type UploadLoad } from '../uploadLanes.ts'
import { dropsThrough, prepareFile, sendAll } from '../uploads.ts'
import { DROP_CLIENTS, FILE_BYTES } from './smallDrops.ts'

export const mainThreadTime: Row = {
  name: 'main-thread',
  ids: ['P14'],
  what: 'processor time of the server’s main thread for a small drop as in P2',
  open: async (options) => ({
    unit: 'ms',
    ...(await costLanes(options, 'P14', 1, (before, after) => after.mainMs - before.mainMs)),
  }),
}

export const bytesWritten: Row = {
  name: 'bytes-written',
  ids: ['P15'],
  what: 'what the server has written to the disk for a small drop as in P2, the 4 KiB included',
  open: async (options) => ({
    unit: 'KiB',
    ...(await costLanes(options, 'P15', 20, (before, after) => (after.writtenBytes - before.writtenBytes) / 1024)),
  }),
}

/** Beside what bare Node needs for the same, without and with rows and signatures. */
async function costLanes(
  options: RowOptions,
  id: string,
  most: number,
  of: Difference,
): Promise<Pick<OpenRow, 'lanes' | 'comparisons'>> {
  const load = loadOf(options)
  const lane = await dropCostLane(options, load, of)
  const bare = await bareCostLane(options, load, 'plain', of)
  const log = await bareCostLane(options, load, 'log', of)
  return {
    lanes: [lane, bare, log],
    comparisons: [
      { id, lane, beside: bare, most },
      { id, lane, beside: log },
    ],
  }
}

async function bareCostLane(options: RowOptions, load: UploadLoad, kind: BareKind, of: Difference): Promise<Lane> {
  const { port, pid, clear } = await startBareUploads(options, kind)
  const send = () => sendAll(load.files, { ...load, port, protocols: [dropsThrough('bare')] })
  return { name: BARE_NAMES[kind], measure: () => costOfEach(pid, load.units, of, send), clear }
}

type Difference = (before: ProcessCost, after: ProcessCost) => number

function loadOf({ isQuick }: RowOptions): UploadLoad {
  const count = isQuick ? DROP_CLIENTS : 2000
  const files = Array.from({ length: count }, () => prepareFile(randomBytes(FILE_BYTES), FILE_BYTES))
  return { clients: DROP_CLIENTS, files, units: count }
}

async function dropCostLane(options: RowOptions, load: UploadLoad, of: Difference): Promise<Lane> {
  const server = await startBlindkeep(options)
  const name = 'a small drop'
  const drops = dropsTo([server], load, { name, owners: 1 })
  return {
    name,
    measure: () => costOfEach(server.pid(), load.units, of, drops.measure),
    clear: () => removeObjects(server),
  }
}

/** What one of `count` drops has cost the process. */
async function costOfEach(
  pid: number,
  count: number,
  of: Difference,
  work: () => Promise<unknown>,
): Promise<{ readonly value: number }> {
  const before = costOf(pid)
  await work()
  return { value: of(before, costOf(pid)) / count }
}
