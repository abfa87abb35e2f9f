/**
 * P2, P3, P4, P6 on PostgreSQL, with the bytes in files. Beside them, what the bare driver does: as many transactions,
 * each one statement with as many rows. On one machine the database takes its share of the cores.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Pool } from 'pg'
import { openPostgresStore } from '../../packages/server/src/adapters/sql/postgres/store.ts'
import { statOf } from '../bareDatabase.ts'
import { type Planted, plantAssets, ROLES } from '../plantedAssets.ts'
import { bareInsertLane, newDatabase, onPostgres } from '../postgres.ts'
import { startBlindkeep, startPeer } from '../processes.ts'
import type { Lane, Row, RowOptions } from '../row.ts'
import { dropsLane } from '../uploadLanes.ts'
import { prepareFile } from '../uploads.ts'
import { answerLane, CLIENTS as QUOTA_CLIENTS, quotaOf } from './quota.ts'
import { bareSigningLane, receiptsLane, WAITING } from './receipts.ts'
import { DROP_CLIENTS, FILE_BYTES } from './smallDrops.ts'
import { ASSETS_A_REQUEST, AT_ONCE, expectDurable, httpLane, lane, pilesOf } from './structuralVerify.ts'

/** What a small drop leaves: upload, chunk, object, receipt, drop, and three events. */
const ROWS_OF_DROP = 8
/** Of these rows, on average. */
const ROW_BYTES = 1000
/** Whose drops have nothing to do with each other. */
const OWNERS = 32
/** Of what SQLite does with the same drops at the same time. */
const REACH = 0.6

export const dropsOnPostgres: Row = {
  name: 'postgres-drops',
  ids: ['P2-postgres'],
  what: 'small drops as in P2, rows on PostgreSQL and bytes in files; beside SQLite, and one insert of as many rows for each drop',
  async open(options) {
    const count = options.isQuick ? DROP_CLIENTS : 1000
    const files = Array.from({ length: count }, () => prepareFile(randomBytes(FILE_BYTES), FILE_BYTES))
    const load = { clients: DROP_CLIENTS, files, units: count }
    const owners = options.isQuick ? 2 : OWNERS
    const hot = await dropsLane(options, load, { name: 'drops on one link', env: await onPostgres(options) })
    const env = await onPostgres(options)
    const spread = await dropsLane(options, load, { name: `drops of ${owners} owners`, env, owners })
    const sqlite = await dropsLane(options, load, { name: 'the same on SQLite', owners })
    const url = await newDatabase(options)
    const inserts = { url, count, rows: ROWS_OF_DROP, bytes: ROW_BYTES, clients: DROP_CLIENTS }
    const bare = await bareInsertLane(options, inserts)
    const signing = bareSigningLane(count)
    return {
      unit: '/s',
      lanes: [hot, spread, sqlite, bare, signing],
      comparisons: [
        { id: 'P2-postgres', lane: spread, beside: sqlite, reach: REACH },
        ...[hot, spread].flatMap((drops) =>
          [bare, signing].map((beside) => ({ id: 'P2-postgres', lane: drops, beside })),
        ),
      ],
    }
  },
}

export const receiptsOnPostgres: Row = {
  name: 'postgres-receipts',
  ids: ['P3-postgres'],
  what: 'receipts as in P3 on PostgreSQL; beside the bare signatures, and one insert for each receipt',
  async open(options) {
    const count = options.isQuick ? WAITING : 2000
    const store = await openPostgresStore({ url: await newDatabase(options) })
    options.atEnd(() => store.close())
    const log = await receiptsLane(options, store, count)
    const url = await newDatabase(options)
    const bare = await bareInsertLane(options, { url, count, rows: 1, bytes: 4000, clients: 10 })
    const signing = bareSigningLane(count)
    return {
      unit: '/s',
      lanes: [log, signing, bare],
      comparisons: [signing, bare].map((beside) => ({ id: 'P3-postgres', lane: log, beside })),
    }
  },
}

export const quotaOnPostgres: Row = {
  name: 'postgres-quota',
  ids: ['P4-postgres'],
  what: 'GET /v1/quota as in P4 on PostgreSQL, without the log line of each request',
  async open(options) {
    const env = { LOG_LEVEL: 'warn', DATABASE_URL: await newDatabase(options) }
    const found = await quotaOf(options, env)
    const constant = await startPeer(options, 'constant', found.body)
    const count = options.isQuick ? 100 : 10_000
    const quota = answerLane({ ...found, name: 'quota on PostgreSQL', count })
    const fastify = answerLane({ ...found, name: 'Fastify, the same bytes', port: constant, count })
    return {
      unit: '/s',
      lanes: [quota, fastify],
      comparisons: [{ id: 'P4-postgres', lane: quota, beside: fastify }],
      remarks: () => [`${QUOTA_CLIENTS} connections share the node's 10 connections to PostgreSQL`],
    }
  },
}

export const verifyOnPostgres: Row = {
  name: 'postgres-verify',
  ids: ['P6-postgres'],
  what: 'structural verify as in P6, rows on PostgreSQL and bytes in files; beside one query for each request and `stat`',
  async open(options) {
    const env = await onPostgres(options)
    const databaseUrl = env.DATABASE_URL
    const server = await startBlindkeep(options, env)
    const assets = options.isQuick ? ASSETS_A_REQUEST : 1000
    const planted = await plantAssets(server, { assets, roles: ROLES, blobBytes: 64, databaseUrl })
    const piles = pilesOf(planted.assets)
    const count = options.isQuick ? 8 : 200
    const http = httpLane({ port: server.port, token: planted.owner.token, piles, count })
    const bare = bareReadsLane(options, { url: databaseUrl, planted, piles, count })
    return { unit: '/s', lanes: [http, bare], comparisons: [{ id: 'P6-postgres', lane: http, beside: bare }] }
  },
}

interface BareReads {
  readonly url: string
  readonly planted: Planted
  readonly piles: ReturnType<typeof pilesOf>
  readonly count: number
}

/** The fewest calls that find the same verdicts: one query for all assets of a request, and `stat` of each file. */
function bareReadsLane({ atEnd }: RowOptions, { url, planted, piles, count }: BareReads): Lane {
  const pool = new Pool({ connectionString: url, max: AT_ONCE })
  atEnd(() => pool.end())
  const text = `select b.asset_id, b.size, b.location from asset_blobs b join objects o on o.location = b.location
    where b.asset_id = any($1) and b.account_id = $2 and o.state = 'kept' order by b.blob_seq`
  return lane('pg reads + stat', { count, workers: AT_ONCE }, async (index) => {
    const assetIds = (piles[index % piles.length] ?? []).map(({ assetId }) => assetId)
    const { rows } = await pool.query({ name: 'bare', text, values: [assetIds, planted.accountId] })
    const files = await Promise.all(rows.map(({ location }) => statOf(join(planted.blobsDirectory, location))))
    const whole = rows.filter(({ size }, at) => Number(size) === files[at]?.size)
    expectDurable(Map.groupBy(whole, ({ asset_id: assetId }) => assetId).size)
  })
}
