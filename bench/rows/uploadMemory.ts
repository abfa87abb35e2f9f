/** P10: the server's memory while many uploads arrive at once. */
import { randomBytes } from 'node:crypto'
import type { RunningServer } from '../../testing/startServer.ts'
import { newLink, newOwner } from '../owner.ts'
import { residentBytes } from '../processCost.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row } from '../row.ts'
import { BARE_NAMES, removeObjects, startBareUploads } from '../uploadLanes.ts'
import { dropsThrough, type PreparedFile, prepareFile, type Senders, sendAll } from '../uploads.ts'

const MEBIBYTE = 1024 * 1024
const LOOK_MS = 20
/** Each client of a link holds a quarter of its sessions at most, and all clients have one address here. */
const SESSIONS_OF_LINK = 10

export const linksFor = (clients: number): number => Math.ceil(clients / SESSIONS_OF_LINK)

export const uploadMemory: Row = {
  name: 'upload-memory',
  ids: ['P10'],
  what: 'the server’s resident memory at most, while 200 uploads at once send 16 MiB each in chunks of 8 MiB',
  async open(options) {
    const uploads = options.isQuick ? 20 : 200
    const mebibytes = options.isQuick ? 1 : 16
    const server = await startBlindkeep(options)
    const bare = await startBareUploads(options, 'plain')
    const file = prepareFile(randomBytes(mebibytes * MEBIBYTE), 8 * MEBIBYTE)
    const files = Array.from({ length: uploads }, () => file)

    const lane = residentLane(server, { name: 'resident', files })
    const beside: Lane = {
      name: BARE_NAMES.plain,
      measure: async () => ({
        value: await mostResident(bare.pid, () =>
          sendAll(files, { port: bare.port, clients: uploads, protocols: [dropsThrough('bare')] }),
        ),
      }),
      clear: bare.clear,
    }
    return { unit: 'MiB', lanes: [lane, beside], comparisons: [{ id: 'P10', lane, beside, most: 250 }] }
  },
}

interface ResidentOptions extends Pick<Senders, 'isPatient'> {
  readonly name: string
  /** Sent all at once. */
  readonly files: readonly PreparedFile[]
}

export function residentLane(server: RunningServer, { name, files, isPatient = false }: ResidentOptions): Lane {
  return {
    name,
    async measure() {
      const owner = await newOwner(server)
      const opaqueIds = await Promise.all(Array.from({ length: linksFor(files.length) }, () => newLink(server, owner)))
      const protocols = opaqueIds.map(dropsThrough)
      const send = () => sendAll(files, { port: server.port, clients: files.length, protocols, isPatient })
      return { value: await mostResident(server.pid(), send) }
    },
    clear: () => removeObjects(server),
  }
}

/** In MiB, while `work` runs. */
async function mostResident(pid: number, work: () => Promise<unknown>): Promise<number> {
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, LOOK_MS)
  try {
    await work()
  } finally {
    clearInterval(look)
  }
  return most / MEBIBYTE
}
