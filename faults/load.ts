/** A server, its owners and its guests: what every fault run begins with. */
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type RunningServer, startServer } from '../testing/startServer.ts'
import { type Api, createApi, jsonOf } from './api.ts'
import { heldBy } from './assets/assetLedger.ts'
import { signUp } from './assets/author.ts'
import { runAuthor } from './assets/runAuthor.ts'
import { bringToAnEnd, untilSwept } from './finale.ts'
import { type GuestPorts, runGuest } from './guest.ts'
import { judgeRows } from './judge.ts'
import { createLedger, type Owner } from './ledger.ts'
import { createMoments } from './moments.ts'
import { createOracle, type Oracle } from './oracle.ts'
import { type OwnerPorts, readInbox, runOwner } from './owner.ts'
import { createPool } from './pool.ts'
import { createRandom, type Random } from './random.ts'

/** Limits out of the way, and everything that runs by the clock often. */
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
  /** Stops the server, and whoever still asks it. */
  close(): Promise<void>
}

const MEBIBYTE = 1024 * 1024
const MAX_FILE_BYTES = 30 * MEBIBYTE
const PENDING_BYTES_MANY = 200 * MEBIBYTE

export interface Load {
  /** Resolves when everybody has finished what they had begun. */
  stop(): Promise<void>
}

export interface WorldOptions {
  /** Settings beside those of all fault runs. */
  readonly env?: Readonly<Record<string, string>>
  /** For a server whose disk runs full; of the operating system's temporary ones when left out. */
  readonly disk?: {
    readonly dataDirectory: string
    readonly isTroubled: () => boolean
    readonly fileBytesMost: number
    readonly pendingBytesMany: number
  }
}

export async function createWorld(seed: string, { disk, env }: WorldOptions = {}): Promise<World> {
  const random = createRandom(seed)
  const server = await startServer({ env: { ...FAULT_ENV, ...env }, ...(disk && { dataDir: disk.dataDirectory }) })
  const isDiskTroubled = disk?.isTroubled ?? (() => false)
  const api = createApi(server)
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
    fileBytesMost: disk?.fileBytesMost ?? MAX_FILE_BYTES,
    pendingBytesMany: disk?.pendingBytesMany ?? PENDING_BYTES_MANY,
    pool: createPool({ api, ledger, owners, isDiskTroubled }, random.fork('pool')),
    oracle: createOracle(server.dataDir),
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
      runAuthor(world, owner, world.random.fork(`${owner.email} keeps`), stopping),
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

/** Ends everything, waits for the sweep, and looks at all once more: over HTTP, then at the rows and files of the stopped server. */
export async function judgeAll(world: World): Promise<void> {
  const { server, ledger, oracle, owners } = world
  await bringToAnEnd(world, owners, world.random.fork('end'))
  const inboxes = await Promise.all(owners.map((owner) => readInbox(world, owner)))
  if (!(await untilSwept(server.dataDir, inboxes.flat().length + ledger.assets.flatMap(heldBy).length)))
    ledger.fault('the sweep leaves files that nothing owns')
  const exitCode = await server.terminate()
  if (exitCode !== 0) ledger.fault(`the server ended with ${exitCode}`)
  const faults = await oracle.examine({ isSwept: true, also: (database) => judgeRows(database, ledger) })
  for (const fault of faults) ledger.fault(`at the end: ${fault}`)
}
