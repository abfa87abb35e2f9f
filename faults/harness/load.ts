/** A server with owners and guests, on which every fault run is built. */
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { type Api, createApi, jsonOf } from './api.ts'
import { acknowledgedBlobsOf } from './assets/assetLedger.ts'
import { signUp } from './assets/author.ts'
import { runOwnerAssets } from './assets/ownerAssetsLoad.ts'
import { countFiles, finishAndCheck, untilSwept } from './finalChecks.ts'
import { type GuestPorts, runGuest } from './guest.ts'
import { judgeRows } from './judge.ts'
import { createLedger, type Owner } from './ledger.ts'
import { createMoments } from './moments.ts'
import { createOracle, type Oracle } from './oracle.ts'
import { type OwnerPorts, readInbox, runOwner } from './owner.ts'
import { createPool } from './pool.ts'
import { createRandom, type Random } from './random.ts'

/** Rate limits far away, and short periods for all background jobs. */
export const FAULT_ENV = {
  LOG_LEVEL: 'warn',
  SWEEP_SECONDS: '1',
  GC_GRACE_SECONDS: '1',
  ACCESS_TOKEN_SECONDS: '864000',
  LINK_SESSIONS_PER_WINDOW: '1000000',
  SOURCE_SESSIONS_PER_WINDOW: '1000000',
  FREE_SPACE_FLOOR_BYTES: '0',
  ADOPTION_LEASE_SECONDS: '2',
}

export interface World extends GuestPorts, OwnerPorts {
  readonly server: RunningServer
  readonly oracle: Oracle
  readonly owners: readonly Owner[]
  readonly random: Random
  /** How many objects the server has now. */
  countObjects(): Promise<number>
  /** Stops the server and all requests to it. */
  close(): Promise<void>
}

const MEBIBYTE = 1024 * 1024
const MAX_FILE_BYTES = 30 * MEBIBYTE
const PENDING_BYTES_TARGET = 200 * MEBIBYTE

export interface Load {
  /** Resolves when every guest and owner has finished their current work. */
  stop(): Promise<void>
}

export interface WorldOptions {
  /** Settings in addition to `FAULT_ENV`. */
  readonly env?: Readonly<Record<string, string>>
  /** For a server whose disk fills up; without it, the data lies in the system's temporary directory. */
  readonly disk?: {
    readonly dataDirectory: string
    readonly isTroubled: () => boolean
    readonly maxFileBytes: number
    readonly pendingBytesTarget: number
  }
  /** Instead of a server with files and SQLite. */
  readonly on?: {
    readonly server: RunningServer
    readonly oracle: Oracle
    /** How guests and owners see it. */
    readonly seen: (api: Api) => Api
    /** How many objects it keeps. Without it the files are counted. */
    readonly countObjects?: () => Promise<number>
  }
}

export async function createWorld(seed: string, { disk, env, on }: WorldOptions = {}): Promise<World> {
  const random = createRandom(seed)
  const started = () => startServer({ env: { ...FAULT_ENV, ...env }, ...(disk && { dataDir: disk.dataDirectory }) })
  const server = on?.server ?? (await started())
  const isDiskTroubled = disk?.isTroubled ?? (() => false)
  const made = createApi(server)
  const api = on?.seen(made) ?? made
  const ledger = createLedger()
  const owners = [await signUp(api, random.fork('first owner')), await signUp(api, random.fork('second owner'))]
  return {
    server,
    api,
    ledger,
    owners,
    random,
    seed,
    moments: createMoments(),
    isDiskTroubled,
    maxFileBytes: disk?.maxFileBytes ?? MAX_FILE_BYTES,
    pendingBytesTarget: disk?.pendingBytesTarget ?? PENDING_BYTES_TARGET,
    pool: createPool({ api, ledger, owners, isDiskTroubled }, random.fork('pool')),
    countObjects: on?.countObjects ?? (() => countFiles(server.dataDir)),
    oracle: on?.oracle ?? createOracle(server.dataDir),
    attestationKeys: await attestationKeys(api),
    async close() {
      api.close()
      await server.stop()
    },
  }
}

/** By key id. */
export async function attestationKeys(api: Api): Promise<ReadonlyMap<string, Uint8Array>> {
  const reply = await api.askUntilAnswered({ method: 'GET', path: '/.well-known/service/attestation-keys' })
  const { keys } = jsonOf<{ keys: { readonly key_id: string; readonly public: string }[] }>(reply)
  return new Map(keys.map((key) => [key.key_id, fromBase64(key.public)]))
}

export function startLoad(world: World, guests: number): Load {
  let isStopping = false
  const { api, ledger } = world
  const stopping = () => isStopping || api.isClosed()
  const running = [
    ...Array.from({ length: guests }, (_, index) => runGuest(world, world.random.fork(`guest ${index}`), stopping)),
    ...world.owners.flatMap((owner) => [
      runOwner(world, owner, world.random.fork(owner.email), stopping),
      runOwnerAssets(world, owner, world.random.fork(`${owner.email} keeps`), stopping),
    ]),
  ]
  const finished = Promise.all(
    running.map((work) => work.catch((error: unknown) => (api.isClosed() ? undefined : ledger.fault(String(error))))),
  )
  return {
    async stop() {
      isStopping = true
      await finished
    },
  }
}

/** Finishes sessions, waits for the sweep, and checks all: over HTTP, then rows and files. */
export async function judgeAll(world: World): Promise<void> {
  const { server, ledger } = world
  await judgeServed(world)
  const exitCode = await server.terminate()
  if (exitCode !== 0) ledger.fault(`the server ended with ${exitCode}`)
  await judgeKept(world)
}

/** Over HTTP, after the load has stopped. Resolves when the sweep has removed what is no longer needed. */
export async function judgeServed(world: World): Promise<void> {
  const { ledger, owners } = world
  await finishAndCheck(world, owners, world.random.fork('end'))
  const inboxes = await Promise.all(owners.map((owner) => readInbox(world, owner)))
  if (
    !(await untilSwept(world.countObjects, inboxes.flat().length + ledger.assets.flatMap(acknowledgedBlobsOf).length))
  )
    ledger.fault('the sweep leaves orphaned files')
}

/** The rows and bytes, after `judgeServed`. A server with SQLite must have stopped. */
export async function judgeKept({ oracle, ledger }: World): Promise<void> {
  const faults = await oracle.examine({ isSwept: true, also: (database) => judgeRows(database, ledger) })
  for (const fault of faults) ledger.fault(`at the end: ${fault}`)
}
