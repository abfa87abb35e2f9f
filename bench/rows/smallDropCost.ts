/** P14, P15: what a small drop costs the server, as Linux counts it. */
import { randomBytes } from 'node:crypto'
import { costOf, type ProcessCost } from '../processCost.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'
import { dropsTo, removeObjects } from '../uploadLanes.ts'
import { prepareFile } from '../uploads.ts'
import { DROP_CLIENTS, FILE_BYTES } from './smallDrops.ts'

export const mainThreadTime: Row = {
  name: 'main-thread',
  ids: ['P14'],
  what: 'processor time of the server’s main thread for a small drop as in P2',
  async open(options) {
    const lane = await costLane(options, 'a small drop', (before, after) => after.mainMs - before.mainMs)
    return { unit: 'ms', lanes: [lane], comparisons: [{ id: 'P14', lane, most: 1 }] }
  },
}

export const bytesWritten: Row = {
  name: 'bytes-written',
  ids: ['P15'],
  what: 'what the server has written to the disk for a small drop as in P2, the 4 KiB included',
  async open(options) {
    const lane = await costLane(
      options,
      'a small drop',
      (before, after) => (after.writtenBytes - before.writtenBytes) / 1024,
    )
    return { unit: 'KiB', lanes: [lane], comparisons: [{ id: 'P15', lane, most: 20 }] }
  },
}

async function costLane(
  options: RowOptions,
  name: string,
  of: (before: ProcessCost, after: ProcessCost) => number,
): Promise<Lane> {
  const count = options.isQuick ? 64 : 2000
  const files = Array.from({ length: count }, () => prepareFile(randomBytes(FILE_BYTES), FILE_BYTES))
  const server = await startBlindkeep(options)
  const drops = dropsTo([server], { clients: DROP_CLIENTS, files, units: count }, { name, owners: 1 })
  return {
    name,
    async measure() {
      const before = costOf(server.pid())
      await drops.measure()
      return { value: of(before, costOf(server.pid())) / count }
    },
    clear: () => removeObjects(server),
  }
}
