/** P7, G5: whether the server gets slower when it keeps many blobs. */
import { randomBytes } from 'node:crypto'
import { drive, expectStatus, requestOf } from '../load.ts'
import { BLOBS_OF_ASSET, type ManyBlobs, plantManyBlobs } from '../manyBlobs.ts'
import { newLink } from '../owner.ts'
import { startBlindkeep } from '../processes.ts'
import { type Lane, type OpenRow, type Row, type RowOptions, shared } from '../row.ts'
import { dropsTo } from '../uploadLanes.ts'
import { dropsThrough, prepareFile, sendAll } from '../uploads.ts'
import { startLane } from './start.ts'
import { ASSETS_A_REQUEST, httpLane, pilesOf } from './structuralVerify.ts'

const FILE_BYTES = 4096
const CLIENTS = 8

const WHAT = 'verify 100 assets of 5 blobs, list an inbox of 100, land a small drop, start'

export const manyBlobs: Row = {
  name: 'many-blobs',
  ids: ['P7'],
  what: `${WHAT}: 10 thousand blobs beside 10 million`,
  isLarge: true,
  open: (options) => openWith(options, 'P7', options.isQuick ? [500, 1_000] : [10_000, 10_000_000]),
}

export const growthOfBlobs: Row = {
  name: 'growth-blobs',
  ids: ['G5'],
  what: `${WHAT}: 10 thousand blobs beside 100 thousand and a million`,
  isLarge: true,
  open: (options) => openWith(options, 'G5', options.isQuick ? [500, 1_000] : [10_000, 100_000, 1_000_000]),
}

/** Compares the times with the fewest blobs with those with more: they may grow to 1.3 of it. */
async function openWith(options: RowOptions, id: string, counts: readonly number[]): Promise<OpenRow> {
  const stores: (readonly Lane[])[] = []
  for (const blobs of counts) stores.push(await lanesWith(options, blobs))
  const [fewest = [], ...more] = stores
  const pairs = fewest.flatMap((lane, at) =>
    more.flatMap((lanes) => lanes.slice(at, at + 1).map((beside) => ({ lane, beside }))),
  )
  return { unit: 'ms', lanes: stores.flat(), comparisons: pairs.map((pair) => ({ id, ...pair, reach: 0.77 })) }
}

const lanesWith = shared(async (options: RowOptions, blobs: number): Promise<readonly Lane[]> => {
  const server = await startBlindkeep(options, {}, `blobs-${blobs}`)
  const requests = options.isQuick ? 2 : 100
  const planted = await plantManyBlobs(server, {
    blobs,
    sample: Math.min(requests * ASSETS_A_REQUEST, blobs / BLOBS_OF_ASSET),
  })
  const { owner, assets } = planted
  const pending = smallFiles(options.isQuick ? 10 : 100)
  await sendAll(pending, {
    port: server.port,
    clients: CLIENTS,
    protocols: [dropsThrough(await newLink(server, owner))],
  })
  const files = smallFiles(options.isQuick ? 16 : 400)
  const load = { clients: CLIENTS, files, units: files.length }
  const verify = httpLane({ port: server.port, token: owner.token, piles: pilesOf(assets), count: requests })
  const named = (name: string, lane: Pick<Lane, 'measure'>): Lane => ({
    ...lane,
    name: `${name}, ${blobs.toLocaleString('en')} blobs`,
  })
  return [
    named('verify', asTime(verify, ASSETS_A_REQUEST)),
    named('inbox', inboxLane(server.port, planted, options.isQuick ? 2 : 100)),
    named('land a drop', asTime(dropsTo([server], load, { name: '', owners: 1 }), 1)),
    named('start', startLane(server)),
  ]
})

function smallFiles(count: number) {
  return Array.from({ length: count }, () => prepareFile(randomBytes(FILE_BYTES), FILE_BYTES))
}

/** The time for `units` of a lane that counts how many it has in a second. */
function asTime(lane: Pick<Lane, 'measure'>, units: number): Pick<Lane, 'measure'> {
  return {
    async measure() {
      const { value, ...sample } = await lane.measure()
      return { ...sample, value: (units * 1000) / value }
    },
  }
}

function inboxLane(port: number, { owner }: ManyBlobs, count: number): Pick<Lane, 'measure'> {
  const list = requestOf({ method: 'GET', path: '/v1/drops', headers: { authorization: `Bearer ${owner.token}` } })
  return {
    async measure() {
      const { seconds, loadBusy } = await drive({
        port,
        clients: 1,
        count,
        work: async (connection) => void expectStatus(await connection.ask(list), 200),
      })
      return { value: (seconds * 1000) / count, loadBusy }
    },
  }
}
