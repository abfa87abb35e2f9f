/** P10: the server's memory while many uploads arrive at once. */
import { randomBytes } from 'node:crypto'
import { newLink, newOwner } from '../owner.ts'
import { residentBytes } from '../processCost.ts'
import { startBlindkeep } from '../processes.ts'
import type { Lane, Row } from '../row.ts'
import { removeObjects } from '../uploadLanes.ts'
import { dropsThrough, prepareFile, sendAll } from '../uploads.ts'

const MEBIBYTE = 1024 * 1024
const LOOK_MS = 20
/** Each client of a link holds a quarter of its sessions at most. */
const UPLOADS_OF_LINK = 10

export const uploadMemory: Row = {
  name: 'upload-memory',
  ids: ['P10'],
  what: 'the server’s resident memory at most, while 200 uploads at once send 16 MiB each in chunks of 8 MiB',
  async open(options) {
    const uploads = options.isQuick ? 20 : 200
    const chunks = options.isQuick ? 1 : 2
    const server = await startBlindkeep(options)
    const file = prepareFile(randomBytes(chunks * 8 * MEBIBYTE), 8 * MEBIBYTE)
    const lane: Lane = {
      name: 'resident',
      async measure() {
        const links = Array.from({ length: uploads / UPLOADS_OF_LINK }, async () =>
          newLink(server, await newOwner(server)),
        )
        const protocols = (await Promise.all(links)).map(dropsThrough)
        let most = 0
        const look = setInterval(() => {
          most = Math.max(most, residentBytes(server.pid()))
        }, LOOK_MS)
        try {
          const files = Array.from({ length: uploads }, () => file)
          await sendAll(files, { port: server.port, clients: uploads, protocols })
        } finally {
          clearInterval(look)
        }
        return { value: most / MEBIBYTE }
      },
      clear: () => removeObjects(server),
    }
    return { unit: 'MiB', lanes: [lane], comparisons: [{ id: 'P10', lane, most: 250 }] }
  },
}
