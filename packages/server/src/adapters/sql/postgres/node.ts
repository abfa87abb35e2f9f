import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Node } from '../../../ports/node.ts'
import type { StoreBroken } from '../../../ports/store.ts'
import { migrations } from '../migrations/migrations.ts'
import { createDatabaseClock } from './databaseClock.ts'
import { createPostgresNews, NEWS_CHANNEL } from './news.ts'
import { createNodeConnection, type NodeConnection, NotAlone } from './nodeConnection.ts'

interface NodeOptions {
  readonly url: string
  /** The bytes are in files, which only one process may write. */
  readonly isSole: boolean
  /** The release of the software. */
  readonly version: string
  /** Another process serves the data alone. This one must end. */
  readonly onBroken: (error: StoreBroken) => void
  readonly openAttempts?: number
}

/** A database that is away does not tell its time, and no clock is to blame for that. */
const FAULTS_OF_TIME = { right: [], unknown: ['store'], off: ['clock'] } as const

const TICK_MS = 1_000
/** Asks for its place once a second: the connection of a process that just died may hold it. */
const OPEN_ATTEMPTS = 15
const TICKS_A_BEAT = 10
/** Another node may just have started. */
const LOOKS_ALONE = 3
/** A node that has not been seen for so long hears nothing. */
const SEEN_MS = 60_000
const FORGOTTEN_AFTER_MS = 3_600_000

/** Advisory locks of jobs. The number stands for Blindkeep's jobs. */
const JOB_LOCKS = 1651207791

/**
 * One connection for what a node needs beside its transactions: its place among the nodes, the time, news, and the
 * locks of jobs. It says something each second, so PostgreSQL notices a node that is frozen or cut off. Throws
 * `NotAlone` if another process serves the data alone.
 */
export async function openPostgresNode(options: NodeOptions): Promise<Node> {
  const { url, isSole, version, onBroken, openAttempts = OPEN_ATTEMPTS } = options
  const nodeId = randomUUID()
  const news = createPostgresNews(
    nodeId,
    () => connection,
    () => state.hasOthers(),
  )
  const connection = createNodeConnection({ url, isSole, channel: NEWS_CHANNEL, onNotice: news.heard })
  const state = createState(connection, { nodeId, version })
  const ending = new AbortController()

  async function tick(): Promise<void> {
    try {
      if (await connection.open()) news.missed()
      await state.look()
    } catch (error) {
      await connection.close()
      if (error instanceof NotAlone) onBroken(error)
    }
  }

  async function live(): Promise<void> {
    while (!ending.signal.aborted) {
      await wait(TICK_MS, undefined, { ref: false, signal: ending.signal }).catch(() => undefined)
      if (!ending.signal.aborted) await tick()
    }
  }

  await openFirst(connection, openAttempts)
  await state.look()
  const living = live()
  return {
    clock: state.clock,
    nodeId: isSole ? undefined : nodeId,
    isSole,
    faults: state.faults,
    inTurn: (name, job) => (state.mayWork() ? inTurn(connection, name, job) : Promise.resolve()),
    announce: isSole ? () => undefined : news.announce,
    onNews: news.onNews,
    async close() {
      ending.abort()
      await living
      await connection.ask('delete from nodes where node_id = $1', [nodeId]).catch(() => undefined)
      await connection.close()
    },
  }
}

async function openFirst(connection: NodeConnection, attempts: number): Promise<void> {
  for (let attempt = 1; connection.number() === undefined; attempt += 1) {
    try {
      await connection.open()
    } catch (error) {
      if (!(error instanceof NotAlone) || attempt === attempts) throw error
      await wait(TICK_MS)
    }
  }
}

/** What the node knows of the database: its time, and its schema. Also tells the operator that the node lives. */
function createState(
  connection: NodeConnection,
  { nodeId, version }: { readonly nodeId: string; readonly version: string },
) {
  const time = createDatabaseClock()
  let done = 0
  let serves = 0
  /** How many looks in a row have found no other node. */
  let alone = 0
  let looks = 0

  async function beat(): Promise<void> {
    const now = time.clock.now()
    await connection.ask(
      `insert into nodes (node_id, seen_at, version) values ($1, $2, $3)
       on conflict (node_id) do update set seen_at = excluded.seen_at`,
      [nodeId, now, version],
    )
    await connection.ask('delete from nodes where seen_at < $1', [now - FORGOTTEN_AFTER_MS])
  }

  return {
    clock: time.clock,
    async look(): Promise<void> {
      const sentMs = Date.now()
      const found = await connection.ask(
        `select extract(epoch from clock_timestamp()) * 1000 as now,
           (select max(number) from migrations) as done, (select max(serves) from migrations) as serves,
           (select count(*) from nodes where seen_at > $1 and node_id <> $2) as others`,
        [time.clock.now() - SEEN_MS, nodeId],
      )
      time.measured({ databaseMs: Number(found.now), sentMs, answeredMs: Date.now() })
      done = Number(found.done)
      serves = Number(found.serves)
      alone = Number(found.others) > 0 ? 0 : alone + 1
      if (looks % TICKS_A_BEAT === 0) await beat()
      looks += 1
    },
    hasOthers: () => alone < LOOKS_ALONE,
    /** A newer schema serves this release, but its jobs may not know all that a newer release keeps. */
    mayWork: () => time.state() === 'right' && done <= migrations.length,
    faults: () => [...FAULTS_OF_TIME[time.state()], ...(serves > migrations.length ? (['schema'] as const) : [])],
  }
}

async function inTurn(connection: NodeConnection, name: string, job: () => Promise<void>): Promise<void> {
  const key = `${JOB_LOCKS}, hashtext($1)`
  const opening = connection.number()
  const asked = connection.ask(`select pg_try_advisory_lock(${key}) as locked`, [name])
  const { locked } = await asked.catch(() => ({ locked: false }))
  if (locked !== true) return
  try {
    await job()
  } finally {
    // A lost connection has lost the lock.
    if (connection.number() === opening)
      await connection.ask(`select pg_advisory_unlock(${key})`, [name]).catch(() => undefined)
  }
}
