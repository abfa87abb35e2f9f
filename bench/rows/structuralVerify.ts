/** P6: structural verify, over HTTP and as a call, beside reading the same rows and `stat` of the files. */
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openFilesystemBlobs } from '../../packages/server/src/adapters/filesystem/blobs.ts'
import { openLimiter } from '../../packages/server/src/adapters/limiter/limiter.ts'
import { createLocalSeats } from '../../packages/server/src/adapters/limiter/localSeats.ts'
import { openSqliteStore } from '../../packages/server/src/adapters/sql/sqlite/store.ts'
import { systemClock } from '../../packages/server/src/adapters/system/clock.ts'
import { createVerify } from '../../packages/server/src/domain/custody/verify.ts'
import { areWhole, type BareRow, blobReader, isWhole } from '../bareDatabase.ts'
import { type Connection, drive, expectStatus, requestOf, share } from '../load.ts'
import { databasePathOf, type Planted, type PlantedAsset, plantAssets, ROLES } from '../plantedAssets.ts'
import { startBlindkeep, startPeer } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'

/** Concurrent requests, in every lane that can have more than one. */
export const AT_ONCE = 4
export const ASSETS_A_REQUEST = 100
const BARE_VERIFY = 'bare Node: parse, read, stat, answer, log'

export const structuralVerify: Row = {
  name: 'structural-verify',
  ids: ['P6'],
  what: 'structural verify: verdicts, 100 assets with 5 blobs each a request, 4 requests at once',
  async open(options) {
    const server = await startBlindkeep(options)
    const assets = options.isQuick ? ASSETS_A_REQUEST : 1000
    const planted = await plantAssets(server, { assets, roles: ROLES, blobBytes: 64 })
    const piles = pilesOf(planted.assets)
    const count = options.isQuick ? 8 : 200
    const databasePath = databasePathOf(server)
    const asked = { planted, piles, count, databasePath }
    const overHttp = { ...asked, token: planted.owner.token }
    const http = httpLane({ ...overHttp, port: server.port })
    const bare = await startPeer(options, 'bareVerify', databasePath, planted.blobsDirectory)
    const bareHttp = { ...httpLane({ ...overHttp, port: bare }), name: BARE_VERIFY }
    const rule = await ruleLane(options, asked)
    const { atOnce, inTurn } = bareLanes(options, asked)
    return {
      unit: '/s',
      lanes: [http, rule, atOnce, inTurn, bareHttp],
      comparisons: [
        ...[http, rule].flatMap((lane) => [atOnce, inTurn].map((beside) => ({ id: 'P6', lane, beside, reach: 0.5 }))),
        { id: 'P6', lane: http, beside: bareHttp },
        { id: 'P6', lane: bareHttp, beside: atOnce },
      ],
    }
  },
}

type Pile = readonly PlantedAsset[]

export function pilesOf(assets: readonly PlantedAsset[]): readonly Pile[] {
  const starts = assets.map((_asset, index) => index).filter((index) => index % ASSETS_A_REQUEST === 0)
  return starts.map((start) => assets.slice(start, start + ASSETS_A_REQUEST))
}

interface Asked {
  readonly piles: readonly Pile[]
  /** Total requests. */
  readonly count: number
}

export function httpLane({
  port,
  token,
  piles,
  count,
}: Asked & { readonly port: number; readonly token: string }): Lane {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const requests = piles.map((pile) => {
    const assets = pile.map(({ assetId, blobs }) => ({ asset_id: assetId, blob_hashes: blobs.map(({ hash }) => hash) }))
    const body = Buffer.from(JSON.stringify({ assets }))
    return requestOf({ method: 'POST', path: '/v1/storage/verify', headers, body })
  })
  const work = async (connection: Connection, index: number) => {
    const { body } = expectStatus(await connection.ask(requests[index % requests.length] ?? []), 200)
    expectDurable(occurrencesOf('"durable":true', body))
  }
  return {
    name: 'verify over HTTP',
    async measure() {
      const { seconds, loadBusy } = await drive({ port, clients: AT_ONCE, count, work })
      return { value: (count * ASSETS_A_REQUEST) / seconds, loadBusy }
    },
  }
}

function occurrencesOf(word: string, text: Buffer): number {
  let found = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) found += 1
  return found
}

export function expectDurable(assets: number): void {
  if (assets !== ASSETS_A_REQUEST) throw new Error(`${assets} of ${ASSETS_A_REQUEST} assets are durable`)
}

interface InProcess extends Asked {
  readonly planted: Planted
  readonly databasePath: string
}

/** The domain function over its own adapters, on the files and the database that the server also has open. */
async function ruleLane(
  { directory, atEnd }: RowOptions,
  { planted, piles, count, databasePath }: InProcess,
): Promise<Lane> {
  const { accountId, blobsDirectory } = planted
  const store = await openSqliteStore({ path: databasePath })
  atEnd(store.close)
  const blobs = await openFilesystemBlobs({ directory: blobsDirectory, createIfMissing: false })
  atEnd(blobs.close)
  const nothing = { secret: randomBytes(32), warn: () => undefined }
  const limiter = await openLimiter({ path: join(directory, 'limits'), clock: systemClock, ...nothing })
  atEnd(limiter.close)
  const seats = createLocalSeats()
  const giveUpAfter = (milliseconds: number) => AbortSignal.timeout(milliseconds)
  const verify = createVerify(
    { store, objects: blobs, clock: systemClock, limiter, seats, giveUpAfter, reportDamage: async () => undefined },
    { deepBytesPerHour: 1 },
  )
  const questions = piles.map((pile) =>
    pile.map((asset) => ({ assetId: asset.assetId, blobHashes: asset.blobs.map(({ hash }) => hash) })),
  )
  const { signal } = new AbortController()
  return lane('verify as a function call', { count, workers: AT_ONCE }, async (index) => {
    const request = { accountId, questions: questions[index % questions.length] ?? [], deep: false, signal }
    expectDurable((await verify(request)).filter(({ durable }) => durable).length)
  })
}

/** The fewest calls for the same verdicts: one query an asset, one snapshot a request, `stat` of each file. */
function bareLanes({ atEnd }: RowOptions, { planted, piles, count, databasePath }: InProcess) {
  const database = new DatabaseSync(databasePath, { readOnly: true })
  atEnd(async () => database.close())
  const { accountId, blobsDirectory } = planted
  const blobsOf = blobReader(database)
  const idsOf = piles.map((pile) => pile.map(({ assetId }) => assetId))
  const rowsOf = (index: number) => blobsOf({ accountId, assetIds: idsOf[index % idsOf.length] ?? [] })
  const atOnce = lane('SQLite reads + stat, all at once', { count, workers: AT_ONCE }, async (index) => {
    const whole = await areWhole(rowsOf(index), blobsDirectory)
    expectDurable(whole.filter(Boolean).length)
  })
  const sizeOf = ({ location }: BareRow) => statSync(join(blobsDirectory, String(location)))
  const inTurn = lane('SQLite reads + statSync', { count, workers: 1 }, async (index) => {
    expectDurable(rowsOf(index).filter((rows) => isWhole(rows, rows.map(sizeOf))).length)
  })
  return { atOnce, inTurn }
}

export function lane(
  name: string,
  { count, workers }: { readonly count: number; readonly workers: number },
  work: (index: number) => Promise<void>,
): Lane {
  return {
    name,
    async measure() {
      const startedAt = performance.now()
      await share(Array.from({ length: workers }), count, (_worker, index) => work(index))
      return { value: (count * ASSETS_A_REQUEST * 1000) / (performance.now() - startedAt) }
    },
  }
}
