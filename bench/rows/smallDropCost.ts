/** P14, P15: what a small drop costs the server, as Linux counts it. */
import { randomBytes } from 'node:crypto'
import { costOf, type ProcessCost } from '../processCost.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'
import { dropsTo, removeObjects, startBareUploads, type UploadLoad } from '../uploadLanes.ts'
import { dropsThrough, prepareFile, sendAll } from '../uploads.ts'
import { DROP_CLIENTS, FILE_BYTES } from './smallDrops.ts'

export const mainThreadTime: Row = {
  name: 'main-thread',
  ids: ['P14'],
  what: 'processor time of the server’s main thread for a small drop as in P2',
  async open(options) {
    const mainMs = (before: ProcessCost, after: ProcessCost) => after.mainMs - before.mainMs
    const load = loadOf(options)
    const lane = await dropCostLane(options, load, mainMs)
    const { port, pid, clear } = await startBareUploads(options)
    const beside: Lane = {
      name: 'bare Node: hash, write, sync',
      measure: () =>
        costOfEach(pid, load.units, mainMs, () =>
          sendAll(load.files, { ...load, port, protocols: [dropsThrough('bare')] }),
        ),
      clear,
    }
    return { unit: 'ms', lanes: [lane, beside], comparisons: [{ id: 'P14', lane, beside, most: 1 }] }
  },
}

export const bytesWritten: Row = {
  name: 'bytes-written',
  ids: ['P15'],
  what: 'what the server has written to the disk for a small drop as in P2, the 4 KiB included',
  async open(options) {
    const writtenKib = (before: ProcessCost, after: ProcessCost) => (after.writtenBytes - before.writtenBytes) / 1024
    const lane = await dropCostLane(options, loadOf(options), writtenKib)
    return { unit: 'KiB', lanes: [lane], comparisons: [{ id: 'P15', lane, most: 20 }] }
  },
}

type Difference = (before: ProcessCost, after: ProcessCost) => number

function loadOf({ isQuick }: RowOptions): UploadLoad {
  const count = isQuick ? 64 : 2000
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
