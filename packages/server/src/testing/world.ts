import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AccountId,
  type OpaqueId,
  parseAccountId,
  parseOpaqueId,
  parseProtocolVersion,
  parseSha256Hex,
  type Sha256Hex,
} from '@blindkeep/protocol/ids'
import { openFilesystemBlobs } from '../adapters/filesystem/blobs.ts'
import { openKeyring } from '../adapters/keyring/keyring.ts'
import { openLimiter } from '../adapters/limiter/limiter.ts'
import { createLocalSeats } from '../adapters/limiter/localSeats.ts'
import { createMessenger } from '../adapters/messenger/messenger.ts'
import { openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { createSoleNode } from '../adapters/system/soleNode.ts'
import type { Bytes } from '../contracts/bytes/world.ts'
import { unwatched } from '../domain/custody/headWatch.ts'
import { openServerKeys, type ServerKeys } from '../domain/custody/keys.ts'
import { recordServerId } from '../domain/discovery/serverId.ts'
import { createRules, type RulePorts, type RuleSettings, type Rules } from '../domain/rules.ts'
import type { KeyedBytes } from '../ports/keyedBytes.ts'
import type { Keyring } from '../ports/keyring.ts'
import type { Limiter } from '../ports/limiter.ts'
import type { Log } from '../ports/log.ts'
import type { Objects } from '../ports/objects.ts'
import type { Random } from '../ports/random.ts'
import type { Seats } from '../ports/seats.ts'
import type { Staging } from '../ports/staging.ts'
import { accountLock, type Store } from '../ports/store.ts'
import { createHandClock, type HandClock } from './handClock.ts'
import { openMemoryStore } from './memoryStore.ts'

/** The rules over real adapters: database in memory, files in a temporary directory, a clock moved by hand. */
export interface World {
  readonly clock: HandClock
  readonly random: Random
  readonly store: Store
  readonly staging: Staging
  readonly objects: Objects
  /** The two above: one blob directory. */
  readonly blobs: Bytes
  readonly limiter: Limiter
  readonly seats: Seats
  readonly keyring: Keyring
  readonly keys: ServerKeys
  readonly rules: Rules
  readonly settings: RuleSettings
  /** The directory of the objects. */
  readonly blobsDirectory: string
  /** Undefined for a database in memory. */
  readonly databasePath: string | undefined
  /** Calls of `onDeleting`. */
  deletingCalls(): number
  /** Calls of `onSuspect`. */
  suspectCalls(): number
  /** Calls of `onDeleted`. */
  deletedCalls(): number
  /** All log lines, in order. */
  readonly logged: readonly Logged[]
  readonly log: Log
  /** New rules over the same data, as after a restart. */
  restarted(): Rules
  /** The same rules with other ports, for instance over other data or as another process. */
  rulesOver(data: Partial<RulePorts>, settings?: RuleSettings): Rules
}

interface Logged {
  readonly level: keyof Log
  readonly event: string
  readonly facts: Readonly<Record<string, unknown>>
}

export type { Bytes }

export interface WorldOptions {
  /** Puts the database into a file, so that a test can read it beside the store. */
  readonly isOnDisk?: boolean
  readonly settings?: Partial<RuleSettings>
  /** Wraps the real adapters, for instance with faults. */
  readonly around?: {
    readonly store?: (real: Store) => Store
    readonly blobs?: (real: Bytes) => Bytes
    readonly keyedBytes?: (real: KeyedBytes) => KeyedBytes
  }
  /** Of a store with keys, whose ports `around.blobs` gives. */
  readonly keyedBytes?: KeyedBytes
}

const version = (date: string) => defined(parseProtocolVersion(date))

const SETTINGS: RuleSettings = {
  serverId: 'https://keep.example',
  publicUrl: 'https://keep.example/blind',
  federationUrl: undefined,
  window: { min: version('2026-01-01'), max: version('2026-11-01') },
  quotaSoftBytes: undefined,
  quotaHardBytes: undefined,
  quotaGraceDays: 14,
  blobBytesMax: 2 ** 40,
  inboxFilesMax: 10_000,
  freeSpaceFloorBytes: 0,
  chunkBytesMax: 16 * 2 ** 20,
  registration: 'open',
  isRegistrationDefault: true,
  accessTokenSeconds: 900,
  refreshTokenSeconds: 30 * 86_400,
  uploadFirstByteSeconds: 900,
  uploadIdleSeconds: 86_400,
  uploadLifeSeconds: 7 * 86_400,
  receiptGuestSeconds: 30 * 86_400,
  collectGraceSeconds: 86_400,
  partGraceSeconds: 3600,
  scrubDays: 30,
  adoptionLeaseSeconds: 60,
  manifestDriftDays: 30,
  retentionDaysMax: 400,
  deepBytesPerHour: 64 * 2 ** 30,
  uploadYieldSeconds: 10,
  linkSessionsPerWindow: 600,
  sourceSessionsPerWindow: 6000,
  passphraseTriesPerWindow: 10,
  loginTriesPerWindow: 10,
  rowsPerDay: 20_000,
  unlandedUploadsPerHour: 2000,
}

/** A test in its own world. */
export function inWorld(work: (world: World) => Promise<void>, options: WorldOptions = {}): () => Promise<void> {
  return async () => {
    const { world, close } = await openWorld(options)
    try {
      await work(world)
    } finally {
      await close()
    }
  }
}

/**
 * The worlds of a process share what takes longest to make: a directory of files, as no two files ever have the same
 * name, and a master secret. It is removed when the process ends.
 */
async function openGround() {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-worlds-'))
  process.once('exit', () => rmSync(directory, { recursive: true }))
  const blobsDirectory = join(directory, 'blobs')
  const blobs = await openFilesystemBlobs({ directory: blobsDirectory, createIfMissing: true })
  const keyring = await openKeyring({ masterSecretFile: join(directory, 'master'), createIfMissing: true })
  return { directory, blobsDirectory, realBlobs: blobs, keyring }
}

/** `BLINDKEEP_TEST_STORE=postgres`: worlds on PostgreSQL, refusing changes without locks, except the tests'. */
const postgres =
  process.env.BLINDKEEP_TEST_STORE === 'postgres'
    ? { ...(await import('./postgresStores.ts')), ...(await import('./lockWitness.ts')) }
    : undefined

/** `forTests` is the same store for the writes of the tests. */
async function openStore(
  databasePath: string | undefined,
): Promise<{ store: Store; forTests(store: Store): Store; close(): Promise<void> }> {
  if (postgres !== undefined && databasePath === undefined) {
    const { open, close } = await postgres.openShared('witnessed')
    return { store: await open(), forTests: postgres.exempt, close }
  }
  const store = await (databasePath === undefined ? openMemoryStore() : openSqliteStore({ path: databasePath }))
  return { store, forTests: (same) => same, close: store.close }
}

let ground: ReturnType<typeof openGround> | undefined

async function openWorld({
  isOnDisk = false,
  settings,
  around,
  keyedBytes,
}: WorldOptions): Promise<{ readonly world: World; readonly close: () => Promise<void> }> {
  ground ??= openGround()
  const { directory, blobsDirectory, realBlobs, keyring } = await ground
  const databasePath = isOnDisk ? join(directory, `${systemRandom.uuid()}.sqlite`) : undefined
  const { store: realStore, forTests, close: closeStore } = await openStore(databasePath)
  const clock = createHandClock()
  const keys = await openServerKeys({ store: realStore, keyring, clock, random: systemRandom })
  const path = join(directory, `limits ${systemRandom.uuid()}`)
  const limiter = await openLimiter({ path, secret: keys.serverSecret, clock, warn: () => {} })
  let deleting = 0
  let suspected = 0
  let deleted = 0
  const logged: Logged[] = []
  const note =
    (level: Logged['level']) =>
    (event: string, facts: Logged['facts'] = {}) =>
      void logged.push({ level, event, facts })
  const blobs = around?.blobs?.(realBlobs) ?? realBlobs
  const used = { ...SETTINGS, ...settings }
  const ports = {
    store: around?.store?.(realStore) ?? realStore,
    staging: blobs,
    objects: blobs,
    keyedBytes,
    clock,
    random: systemRandom,
    limiter,
    seats: createLocalSeats(),
    keys,
    keyring,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
    messenger: createMessenger(
      { clock, pushSigner: keyring.pushSigner },
      { offered: [], networks: [], serverId: used.serverId, mail: undefined },
    ),
    news: createSoleNode(clock),
    giveUpAfter: (ms: number) => AbortSignal.timeout(ms),
    headWatch: unwatched,
    onDeleting: () => {
      deleting += 1
    },
    onSuspect: () => {
      suspected += 1
    },
    onDeleted: () => {
      deleted += 1
    },
  }
  const make = () => createRules(ports, used)
  const rulesOver = (data: Partial<RulePorts>, given = used) => createRules({ ...ports, ...data }, given)
  const calls = { deletingCalls: () => deleting, suspectCalls: () => suspected, deletedCalls: () => deleted }
  const facts = { settings: used, blobs, blobsDirectory, databasePath, logged, ...calls, restarted: make, rulesOver }
  return {
    world: { ...ports, store: forTests(ports.store), ...facts, rules: make() },
    async close() {
      await limiter.close()
      await closeStore()
    },
  }
}

export function defined<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a test expected a value')
  return value
}

export const newOpaqueId = (): OpaqueId => defined(parseOpaqueId(randomBytes(16).toString('hex')))

export function sha256(bytes: Uint8Array): Sha256Hex {
  return defined(parseSha256Hex(createHash('sha256').update(bytes).digest('hex')))
}

/** An account with a key that no client has, so no sign-in works. */
export async function newAccount({ store, clock, settings }: World): Promise<AccountId> {
  const accountId = defined(parseAccountId(systemRandom.uuid()))
  const nothing = {
    salt: undefined,
    sealedAccountKey: undefined,
    sealedRecoveryKey: undefined,
    recoveryKeyHash: undefined,
  }
  const row = {
    accountId,
    email: `${accountId}@example.org`,
    signInKeyHash: randomBytes(32),
    kdfVersion: 1,
    ...nothing,
  }
  await store.write([], async (tx) => {
    await tx.accounts.insert({ ...row, createdAt: clock.now() })
    await recordServerId(tx, settings.serverId)
  })
  return accountId
}

/** The first transaction of its deletion. */
export async function beginDeletion({ store, clock }: World, accountId: AccountId): Promise<void> {
  await store.write([accountLock(accountId)], async (tx) => {
    const { signInKeyHash } = defined(await tx.accounts.find(accountId))
    await tx.accountDeletions.begin({ accountId, signInKeyHash: defined(signInKeyHash), at: clock.now() })
  })
}
