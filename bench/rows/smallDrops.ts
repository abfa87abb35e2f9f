/** P2: small drops with receipts, beside as many tus uploads without, and the bare signatures of one chain. */
import { randomBytes } from 'node:crypto'
import type { Row } from '../row.ts'
import { remarksOnTusd, tusdLane } from '../tusd.ts'
import { bareUploadsLane, dropsLane, tusLane } from '../uploadLanes.ts'
import { prepareFile } from '../uploads.ts'
import { bareSigningLane } from './receipts.ts'

export const DROP_CLIENTS = 32
export const FILE_BYTES = 4096

export const smallDrops: Row = {
  name: 'small-drops',
  ids: ['P2'],
  what: 'small drops: create and one chunk of 4 KiB, landed with receipt, 32 clients; one target must be reached',
  async open(options) {
    const count = options.isQuick ? DROP_CLIENTS : 2000
    const files = Array.from({ length: count }, () => prepareFile(randomBytes(FILE_BYTES), FILE_BYTES))
    const load = { clients: DROP_CLIENTS, files, units: count }
    const drops = await dropsLane(options, load)
    const tus = await tusLane(options, load)
    const tusd = await tusdLane(options, load)
    const bare = await bareUploadsLane(options, load)
    const log = await bareUploadsLane(options, load, 'log')
    const signing = bareSigningLane(count)
    return {
      unit: '/s',
      lanes: [drops, tus, ...(tusd === undefined ? [] : [tusd]), bare, log, signing],
      comparisons: [
        { id: 'P2', lane: drops, beside: tus, reach: 1 },
        ...(tusd === undefined ? [] : [{ id: 'P2', lane: drops, beside: tusd }]),
        { id: 'P2', lane: drops, beside: bare },
        { id: 'P2', lane: drops, beside: log },
        { id: 'P2', lane: drops, beside: signing, reach: 0.8 },
      ],
      remarks: () => remarksOnTusd(tusd, options),
    }
  },
}
