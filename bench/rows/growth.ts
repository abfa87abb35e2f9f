/** G1 to G4: figures by the number of clients, size of chunks and number of uploads. */
import { randomBytes } from 'node:crypto'
import { startBlindkeep } from '../processes.ts'
import type { Lane, OpenRow, Row } from '../row.ts'
import { dropsTo, removeObjects } from '../uploadLanes.ts'
import { prepareFile } from '../uploads.ts'
import { linksFor, residentLane } from './uploadMemory.ts'

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

const counted = (count: number, what: string) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`

/** Each step beside the first. */
export function stepsOf(id: string, lanes: readonly Lane[]): Pick<OpenRow, 'lanes' | 'comparisons'> {
  const [first, ...more] = lanes
  return { lanes, comparisons: more.map((lane) => (first === undefined ? { id, lane } : { id, lane, beside: first })) }
}

export const growthOfDropClients: Row = {
  name: 'growth-drop-clients',
  ids: ['G1'],
  what: 'small drops by 1 to 256 clients at once',
  isLarge: true,
  async open(options) {
    const server = await startBlindkeep(options)
    const steps = options.isQuick ? [1, 2] : [1, 4, 16, 64, 256]
    const lanes = steps.map((clients): Lane => {
      const count = options.isQuick ? 8 : Math.max(200, 8 * clients)
      const files = Array.from({ length: count }, () => prepareFile(randomBytes(4 * KIBIBYTE), 4 * KIBIBYTE))
      const named = { name: counted(clients, 'client'), owners: linksFor(clients) }
      return { ...dropsTo([server], { clients, files, units: count }, named), clear: () => removeObjects(server) }
    })
    return { unit: '/s', ...stepsOf('G1', lanes) }
  },
}

export const growthOfIngestClients: Row = {
  name: 'growth-ingest-clients',
  ids: ['G2'],
  what: 'durable ingest by 1 to 256 clients at once, files of one chunk of 8 MiB',
  isLarge: true,
  async open(options) {
    const server = await startBlindkeep(options)
    const steps = options.isQuick ? [1, 2] : [1, 4, 16, 64, 256]
    const size = (options.isQuick ? 1 : 8) * MEBIBYTE
    const file = prepareFile(randomBytes(size), size)
    const lanes = steps.map((clients): Lane => {
      // As many at each step, so that only the clients differ.
      const files = Array.from({ length: options.isQuick ? 2 : Math.max(...steps) }, () => file)
      const load = { clients, files, units: (files.length * size) / MEBIBYTE }
      const named = { name: counted(clients, 'client'), owners: linksFor(clients) }
      return { ...dropsTo([server], load, named), clear: () => removeObjects(server) }
    })
    return { unit: 'MiB/s', ...stepsOf('G2', lanes) }
  },
}

export const growthOfChunks: Row = {
  name: 'growth-chunks',
  ids: ['G3'],
  what: 'durable ingest by 4 clients, files of 64 MiB in chunks of 64 KiB to 16 MiB',
  isLarge: true,
  async open(options) {
    const server = await startBlindkeep(options)
    const steps = options.isQuick ? [64, 256] : [64, 256, 1024, 4096, 16_384]
    const bytes = randomBytes((options.isQuick ? 1 : 64) * MEBIBYTE)
    const lanes = steps.map((kibibytes): Lane => {
      const file = prepareFile(bytes, kibibytes * KIBIBYTE)
      const load = { clients: 4, files: [file, file, file, file], units: (4 * bytes.length) / MEBIBYTE }
      const named = { name: `chunks of ${kibibytes.toLocaleString('en')} KiB`, owners: 1 }
      return { ...dropsTo([server], load, named), clear: () => removeObjects(server) }
    })
    return { unit: 'MiB/s', ...stepsOf('G3', lanes) }
  },
}

export const growthOfUploads: Row = {
  name: 'growth-uploads',
  ids: ['G4'],
  what: 'the server’s resident memory at most, while 1 to 1,000 uploads at once send 8 MiB each',
  isLarge: true,
  async open(options) {
    const server = await startBlindkeep(options)
    const steps = options.isQuick ? [1, 2] : [1, 10, 100, 1000]
    const file = prepareFile(randomBytes(8 * MEBIBYTE), 8 * MEBIBYTE)
    /** Each step has a new process, as one that has needed much memory keeps it. */
    const clear = async () => {
      await removeObjects(server)
      await server.terminate()
      await server.restart()
    }
    const lanes = steps.map((uploads): Lane => {
      const files = Array.from({ length: uploads }, () => file)
      const sending = { name: counted(uploads, 'upload'), files, isPatient: true }
      return { ...residentLane(server, sending), clear }
    })
    return { unit: 'MiB', ...stepsOf('G4', lanes) }
  },
}
