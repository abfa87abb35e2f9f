/**
 * P1, P2, P6, P9 on PostgreSQL with an object store. Beside them, the store's library alone with as many bytes. The
 * store is our own double unless the machine has a real one (`testing/objectStore.ts`): then the ratios say what the
 * server costs, and the figures nothing about a real store.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { MAX_ASSETS, MAX_HASHES } from '@blindkeep/protocol/schemas/verify'
import { openObjectStore } from '../../testing/objectStore.ts'
import { bareGetsLane, barePutsLane, putBare } from '../bareObjects.ts'
import { plantAssets, ROLES } from '../plantedAssets.ts'
import { newDatabase } from '../postgres.ts'
import { startBlindkeep } from '../processes.ts'
import { type OpenRow, type Row, type RowOptions, shared } from '../row.ts'
import { dropsLane, dropsTo } from '../uploadLanes.ts'
import { prepareFile } from '../uploads.ts'
import { DROP_CLIENTS, FILE_BYTES } from './smallDrops.ts'
import { ASSETS_A_REQUEST, httpLane, pilesOf } from './structuralVerify.ts'

const MEBIBYTE = 1024 * 1024
const CHUNK_BYTES = 8 * MEBIBYTE
const INGEST_CLIENTS = 4

/** `env`: settings of a server. */
export const openGround = shared(openOwnGround)

async function openOwnGround(options: RowOptions) {
  const objects = await openObjectStore()
  options.atEnd(objects.stop)
  const env = { ...objects.env, DATABASE_URL: await newDatabase(options) }
  return { objects, env, remarks: () => [`the store: ${objects.name}`] }
}

export const ingestToObjectStore: Row = {
  name: 's3-ingest',
  ids: ['P1-s3'],
  what: 'ingest as in P1, into an object store; beside puts of the same chunks',
  async open(options) {
    const { objects, env, remarks } = await openGround(options)
    const chunkBytes = options.isQuick ? MEBIBYTE : CHUNK_BYTES
    const fileBytes = (options.isQuick ? 2 : 16) * chunkBytes
    const files = Array.from({ length: INGEST_CLIENTS }, () => prepareFile(randomBytes(fileBytes), chunkBytes))
    const units = (INGEST_CLIENTS * fileBytes) / MEBIBYTE
    const drops = await dropsLane(options, { clients: INGEST_CLIENTS, files, units }, { name: 'drops into S3', env })
    const pieces = files.flatMap(({ chunks }) => chunks.map(({ bytes }) => bytes))
    const puts = barePutsLane(objects, pieces, { clients: INGEST_CLIENTS, count: pieces.length, units })
    return {
      unit: 'MiB/s',
      lanes: [drops, puts],
      comparisons: [{ id: 'P1-s3', lane: drops, beside: puts }],
      remarks,
    }
  },
}

export const dropsToObjectStore: Row = {
  name: 's3-drops',
  ids: ['P2-s3'],
  what: 'small drops as in P2, rows on PostgreSQL and bytes in an object store; beside puts of the same bytes',
  async open(options) {
    const { objects, env, remarks } = await openGround(options)
    const count = options.isQuick ? DROP_CLIENTS : 1000
    const files = Array.from({ length: count }, () => prepareFile(randomBytes(FILE_BYTES), FILE_BYTES))
    const load = { clients: DROP_CLIENTS, files, units: count }
    const drops = await dropsLane(options, load, { name: 'drops into S3', env })
    const pieces = files.flatMap(({ chunks }) => chunks.map(({ bytes }) => bytes))
    const puts = barePutsLane(objects, pieces, { clients: DROP_CLIENTS, count, units: count })
    return { unit: '/s', lanes: [drops, puts], comparisons: [{ id: 'P2-s3', lane: drops, beside: puts }], remarks }
  },
}

/** Whose drops have nothing to do with each other. */
const OWNERS = 32

export const dropsThroughTwoNodes: Row = {
  name: 'nodes-drops',
  ids: ['P2-nodes'],
  what: 'small drops as in P2 on unrelated links, through two nodes; beside the same through one of them',
  async open(options) {
    const { env, remarks } = await openOwnGround(options)
    const count = options.isQuick ? DROP_CLIENTS : 1000
    const files = Array.from({ length: count }, () => prepareFile(randomBytes(FILE_BYTES), FILE_BYTES))
    const load = { clients: DROP_CLIENTS, files, units: count }
    const owners = options.isQuick ? 2 : OWNERS
    const settings = {
      ...env,
      MASTER_SECRET_FILE: join(options.directory, 'master.secret'),
      // Nodes of one server have one name.
      PUBLIC_URL: 'http://localhost:8080',
    }
    const first = await startBlindkeep(options, settings, 'first')
    const second = await startBlindkeep(options, settings, 'second')
    const one = dropsTo([first], load, { name: 'drops through one node', owners })
    const two = dropsTo([first, second], load, { name: 'drops through two nodes', owners })
    return {
      unit: '/s',
      lanes: [one, two],
      comparisons: [{ id: 'P2-nodes', lane: two, beside: one, reach: 1 }],
      remarks,
    }
  },
}

export const verifyInObjectStore: Row = {
  name: 's3-verify',
  ids: ['P6-s3'],
  what: 'structural verify as in P6, with an object store: the last byte of each blob is read; beside gets of as many last bytes',
  open: (options) =>
    openVerify(options, {
      id: 'P6-s3',
      roles: options.isQuick ? ROLES.slice(0, 1) : ROLES,
      assets: options.isQuick ? ASSETS_A_REQUEST : 300,
      requests: options.isQuick ? 1 : 20,
    }),
}

/** As many as one request may ask for (`schemas/verify.ts`). */
const MOST_BLOBS: readonly BlobRole[] = Array.from({ length: MAX_HASHES }, (_, at) =>
  at === 0 ? 'original' : 'derivative',
)

export const largestVerifyInObjectStore: Row = {
  name: 's3-looks',
  ids: ['P6-s3-most'],
  what: 'one structural verify of all that a request may ask for, 100 assets with 32 blobs each, with an object store; beside gets of as many last bytes',
  open: (options) =>
    openVerify(options, {
      id: 'P6-s3-most',
      roles: options.isQuick ? MOST_BLOBS.slice(0, 2) : MOST_BLOBS,
      assets: MAX_ASSETS,
      requests: 1,
    }),
}

interface Verify {
  readonly id: string
  /** Of the blobs of each asset. */
  readonly roles: readonly BlobRole[]
  readonly assets: number
  readonly requests: number
}

async function openVerify(options: RowOptions, { id, roles, assets, requests }: Verify): Promise<OpenRow> {
  const { objects, env, remarks } = await openGround(options)
  const server = await startBlindkeep(options, env)
  const planted = await plantAssets(server, { assets, roles, blobBytes: 64, databaseUrl: env.DATABASE_URL, objects })
  const piles = pilesOf(planted.assets)
  const units = requests * ASSETS_A_REQUEST
  const http = httpLane({ port: server.port, token: planted.owner.token, piles, count: requests })
  const key = await putBare(objects, randomBytes(64))
  const bare = bareGetsLane(objects, {
    keys: [key],
    range: 'bytes=63-63',
    clients: 32,
    count: units * roles.length,
    units,
  })
  return { unit: '/s', lanes: [http, bare], comparisons: [{ id, lane: http, beside: bare }], remarks }
}
