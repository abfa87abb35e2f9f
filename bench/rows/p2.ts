/** P2: small drops, each landed with its receipt, beside the same number of tus uploads, which nobody signs for, and beside what one chain can sign. */
import { randomBytes } from 'node:crypto'
import type { Row } from '../row.ts'
import { dropsLane, tusLane } from '../uploadLanes.ts'
import { prepareFile } from '../uploads.ts'
import { bareSigningLane } from './p3.ts'

const CLIENTS = 32
const FILE_BYTES = 4096

export const p2: Row = {
  ids: ['P2'],
  what: 'small drops: create and one chunk of 4 KiB, landed with receipt, 32 clients; either target will do',
  async open(options) {
    const count = options.isQuick ? 64 : 2000
    const files = Array.from({ length: count }, () => prepareFile(randomBytes(FILE_BYTES), FILE_BYTES))
    const load = { clients: CLIENTS, files, units: count }
    const drops = await dropsLane(options, load)
    const tus = await tusLane(options, load)
    const signing = bareSigningLane(count)
    return {
      unit: '/s',
      lanes: [drops, tus, signing],
      comparisons: [
        { id: 'P2', lane: drops, beside: tus, reach: 1 },
        { id: 'P2', lane: drops, beside: signing, reach: 0.8 },
      ],
    }
  },
}
