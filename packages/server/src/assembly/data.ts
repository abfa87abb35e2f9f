import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { addSeconds } from '@blindkeep/protocol/ids'
import { openBackupDirectory } from '../adapters/filesystem/backupDirectory.ts'
import { openFilesystemBlobs } from '../adapters/filesystem/blobs.ts'
import {
  checkDatabaseDirectory,
  checkDataDirectory,
  makeDataDirectory,
  prepareDataDirectory,
} from '../adapters/filesystem/dataDirectory.ts'
import { createWitnessFile } from '../adapters/filesystem/witnessFile.ts'
import { openKeyring } from '../adapters/keyring/keyring.ts'
import { openS3, type S3Options, type S3Store } from '../adapters/s3/store.ts'
import { measureDatabaseClock } from '../adapters/sql/postgres/databaseClock.ts'
import { type DirectoryLock, lockDirectory } from '../adapters/sql/sqlite/directoryLock.ts'
import { lockNodes } from '../adapters/sql/postgres/lockNodes.ts'
import { createMovingDatabase, refuseMoved, refuseMovedAway, wasMovedTo } from '../adapters/sql/copying/movingDatabase.ts'
import { openPostgresStore } from '../adapters/sql/postgres/store.ts'
import { openPostgresNode } from '../adapters/sql/postgres/node.ts'
import { checkPostgresSchema, PostgresEmpty } from '../adapters/sql/postgres/schema.ts'
import {
  createRestoredDatabase,
  createRestoredPostgres,
  RESTORING,
  refusePresent,
} from '../adapters/sql/copying/restoredDatabase.ts'
import { createPostgresSnapshots, createSnapshots } from '../adapters/sql/copying/snapshot.ts'
import { DatabaseMissing, openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { createSoleNode } from '../adapters/system/soleNode.ts'
import type { Config } from '../config/config.ts'
import { acceptedManifest, type RestoreOptions } from '../domain/backup/restore.ts'
import { MAX_CLOCK_AHEAD_SECONDS } from '../domain/custody/collect.ts'
import { createPartIndex } from '../domain/custody/partIndex.ts'
import { belongingTo, checkStoreId, hasKeys, storeIdOf } from '../domain/custody/storeId.ts'
import type { BackupDirectory, RestoredDatabase, SnapshotSource } from '../ports/backup.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyedBytes } from '../ports/keyedBytes.ts'
import type { Keyring } from '../ports/keyring.ts'
import type { Log } from '../ports/log.ts'
import type { MovingDatabase } from '../ports/move.ts'
import type { Node } from '../ports/node.ts'
import type { Objects } from '../ports/objects.ts'
import type { PartIndex } from '../ports/parts.ts'
import type { Staging } from '../ports/staging.ts'
import type { ObjectState, Store, StoreBroken } from '../ports/store.ts'
import type { Witness } from '../ports/witness.ts'
import { copyIfUpgraded } from './upgradeCopy.ts'

/** Opened data: for the server, and for the operator's commands, which may run beside the server. */
export interface Data {
  readonly store: Store
  readonly staging: Staging
  readonly objects: Objects
  /** Undefined for files, which have no keys. */
  readonly keyedBytes?: KeyedBytes | undefined
  /** Absent where database and bytes are one directory, which is set back as a whole. */
  readonly witness?: Witness | undefined
  close(): Promise<void>
}

/** The server's data, with the locks that keep out a process that must not serve the same data. */
export interface ServerData extends Data {
  readonly node: Node
  readonly keyring: Keyring
}

interface ServerUse {
  /** The release of the software. */
  readonly version: string
  readonly log: Pick<Log, 'info'>
  /** The process must end: what the database says can no longer be relied on. */
  readonly onBroken: (error: StoreBroken) => void
}

/**
 * For the server: creates what is missing at a first start, and updates the schema of SQLite, of which it keeps a copy. Throws an error for people when another process has the
 * data: a database of SQLite and a directory of bytes belong to one process each.
 */
export async function openServerData(config: Config, use: ServerUse): Promise<ServerData> {
  await prepareDataDirectory(config.dataDirectory)
  const opened: { close(): Promise<void> }[] = []
  const keep = <Resource extends { close(): Promise<void> }>(resource: Resource): Resource => {
    opened.unshift(resource)
    return resource
  }
  const close = async () => {
    for (const resource of opened) await resource.close()
  }
  try {
    keep(closing(await lockDirectory(config.dataDirectory)))
    const { keyring, store, node } = await openServerRows(config, use, keep)
    // An unmounted disk or an emptied bucket must not look like a new one: then every object would count as lost.
    const createIfMissing = !(await hasObjects(store, node.clock))
    if (config.blobs.kind === 'files' && config.database.kind === 'postgres') {
      await mkdir(config.blobs.directory, { recursive: true, mode: 0o700 })
      keep(closing(await lockDirectory(config.blobs.directory)))
    }
    const bytes = keep(await openBytes(config, store, { createIfMissing }))
    return { store, node, keyring, ...bytes, close }
  } catch (error) {
    await close()
    throw error
  }
}

const closing = (lock: DirectoryLock) => ({ close: async () => lock.release() })

type Keep = <Resource extends { close(): Promise<void> }>(resource: Resource) => Resource

async function openServerRows(
  config: Config,
  use: ServerUse,
  keep: Keep,
): Promise<Pick<ServerData, 'store' | 'node' | 'keyring'>> {
  const { database, masterSecretFile } = config
  // A new master secret could not decrypt the keys in an existing database.
  if (database.kind === 'sqlite') {
    refuseHalfRestored(config, database.path)
    await checkDatabaseDirectory(database.path)
    const keyring = await openKeyring({ masterSecretFile, createIfMissing: !existsSync(database.path) })
    await copyIfUpgraded(database.path, use.log)
    const store = keep(await openSqliteStore({ path: database.path }))
    return { store, keyring, node: createSoleNode(systemClock) }
  }
  const { url } = database
  await checkPostgresSchema(url)
  const store = keep(await openPostgresStore({ url, schema: 'serve' }))
  const isFirstStart = (await store.read((tx) => tx.server.fact('token_key'))) === undefined
  const keyring = await openKeyring({ masterSecretFile, createIfMissing: isFirstStart })
  const isSole = config.blobs.kind === 'files'
  return { store, keyring, node: keep(await openPostgresNode({ url, isSole, ...use })) }
}

/** Throws an error for people if the database at `databasePath` is being restored or moved, or was moved. */
export function refuseHalfRestored({ dataDirectory }: Pick<Config, 'dataDirectory'>, databasePath: string): void {
  refuseMoved(databasePath)
  if (!existsSync(databasePath + RESTORING)) return
  throw new Error(
    `a restore into ${dataDirectory} was interrupted. Run \`blindkeep-server restore\` again before you start the server, or delete ${databasePath}${RESTORING} to start without the backup.`,
  )
}

/** For a command: opens existing data without changing it. Throws an error for people if there is none, or if its schema is not that of this release. */
export async function openPresentData(config: Config): Promise<Data> {
  const store = await openPresentStore(config)
  return over(store, await openBytes(config, store, { createIfMissing: false, asItIs: true }))
}

/** As `openPresentData`, for a command that needs no bytes. */
export async function openPresentStore({
  database,
  dataDirectory,
}: Pick<Config, 'database' | 'dataDirectory'>): Promise<Store> {
  if (database.kind === 'sqlite') {
    await checkDataDirectory(dataDirectory)
    await checkDatabaseDirectory(database.path)
    refuseMovedAway(database.path)
  }
  if (database.kind === 'postgres') await checkPostgresSchema(database.url)
  const opening =
    database.kind === 'sqlite'
      ? openSqliteStore({ path: database.path, asItIs: true })
      : openPostgresStore({ url: database.url, schema: 'asItIs' })
  return opening.catch((error: unknown) => {
    if (error instanceof PostgresEmpty) throw new Error(`${error.message}.`, { cause: error })
    if (!(error instanceof DatabaseMissing)) throw error
    throw new Error(
      `${error.message}. Name the settings of the server with --config, or its directory with --data (DATA_DIR), or start the server there once.`,
      { cause: error },
    )
  })
}

type Bytes = Pick<Data, 'staging' | 'objects' | 'keyedBytes' | 'witness' | 'close'>

interface BytesUse {
  readonly createIfMissing: boolean
  /** For a process beside the server. */
  readonly asItIs?: boolean
}

async function openBytes(config: Config, store: Store, use: BytesUse): Promise<Bytes> {
  const { blobs } = config
  if (blobs.kind === 'files') return openFiles(config, blobs.directory, use)
  const known = await store.read(storeIdOf)
  const bucket = await openBucket(config, blobs.address, {
    index: createPartIndex(store),
    createIfMissing: use.createIfMissing && known === undefined,
    knownId: known,
  })
  try {
    await checkStoreId(store, bucket)
    return bucket
  } catch (error) {
    await bucket.close()
    throw error
  }
}

async function openFiles({ database }: Pick<Config, 'database'>, directory: string, use: BytesUse): Promise<Bytes> {
  const blobs = await openFilesystemBlobs({ directory, ...use })
  const witness = database.kind === 'sqlite' ? {} : { witness: createWitnessFile({ directory }) }
  return { staging: blobs, objects: blobs, ...witness, close: blobs.close }
}

function openBucket(
  config: Config,
  address: S3Options['address'],
  use: Pick<S3Options, 'index' | 'createIfMissing' | 'knownId'>,
): Promise<S3Store> {
  return openS3({
    ...use,
    address,
    credentials: {
      accessKeyId: config.s3AccessKeyId,
      secretAccessKey: config.s3SecretAccessKey,
      sessionToken: config.s3SessionToken,
      file: config.s3CredentialsFile,
    },
    spoolDirectory: config.spoolDirectory,
  })
}

interface ArrivingBytes extends Bytes {
  /** Of a bucket. */
  readonly storeId?: string
}

/** For bytes that arrive, at a place that no server has used. */
async function openArriving(config: Config, parts: PartIndex): Promise<ArrivingBytes> {
  const { blobs } = config
  return blobs.kind === 'files'
    ? openFiles(config, blobs.directory, { createIfMissing: true })
    : openBucket(config, blobs.address, { index: parts, createIfMissing: true })
}

/** The clock of the server's nodes, for a command that writes or compares times. */
export async function clockOf({ database }: Pick<Config, 'database'>): Promise<Clock> {
  return database.kind === 'sqlite' ? systemClock : measureDatabaseClock(database.url)
}

/** For a command that uses the server's private keys. Throws an error for people if the master secret is missing. */
export async function openPresentKeyring({ masterSecretFile }: Config): Promise<Keyring> {
  return openKeyring({ masterSecretFile, createIfMissing: false })
}

/** The sources and the target of a backup. The server may run. */
interface BackupData extends Data {
  readonly keyring: Keyring
  readonly directory: BackupDirectory
  readonly snapshots: SnapshotSource
}

/** Throws an error for people if the directory at `path` cannot hold a backup, or while another backup of the server runs. */
export async function openBackupData(config: Config, path: string): Promise<BackupData> {
  const { dataDirectory, database } = config
  const store = await openPresentStore(config)
  const keyring = await openPresentKeyring(config)
  const directory = await openBackupDirectory({ path, apart: ownDirectories(config), createIfMissing: true })
  await makeDataDirectory(dataDirectory)
  const lock = await lockDirectory(dataDirectory, 'backup')
  const bytes = await openBytes(config, store, { createIfMissing: false, asItIs: true })
  const snapshots =
    database.kind === 'sqlite'
      ? createSnapshots({ databasePath: database.path, directory: path })
      : createPostgresSnapshots({ url: database.url, directory: path })
  return { directory, snapshots, keyring, ...over(store, bytes, lock) }
}

function ownDirectories({ dataDirectory, blobs }: Config): readonly string[] {
  return blobs.kind === 'files' ? [dataDirectory, blobs.directory] : [dataDirectory]
}

/** The source and the target of a restore. No server may run, and there must be no database. */
interface RestoreData extends Omit<Bytes, 'keyedBytes'> {
  readonly directory: BackupDirectory
  readonly database: RestoredDatabase
  readonly keyring: Keyring
}

/**
 * Throws an error for people if there is a database, if there is no master secret, or if the directory at `path` has no backup that `options` accept. Then nothing
 * was created.
 */
export async function openRestoreData(config: Config, path: string, options: RestoreOptions): Promise<RestoreData> {
  const { dataDirectory } = config
  const directory = await openBackupDirectory({ path, apart: ownDirectories(config), createIfMissing: false })
  await checkDataDirectory(dataDirectory)
  const keyring = await openPresentKeyring(config)
  await acceptedManifest({ directory, keyring }, options)
  if (config.database.kind === 'sqlite') refusePresent(config.database.path)
  await makeDataDirectory(dataDirectory)
  const lock = await lockDirectory(dataDirectory)
  const database =
    config.database.kind === 'sqlite'
      ? createRestoredDatabase(config.database.path)
      : await createRestoredPostgres({ url: config.database.url, path: join(dataDirectory, 'received.sqlite') })
  const bytes = await openArriving(config, database.parts)
  return {
    ...bytes,
    directory,
    database: belongingTo(bytes.storeId, database),
    keyring,
    async close() {
      await bytes.close()
      lock.release()
    },
  }
}

/** For `restored`. Throws an error for people while a node runs, unless `isForced`. */
export async function openRestoredData(
  config: Config,
  { isForced }: { readonly isForced: boolean },
): Promise<Pick<Data, 'store' | 'witness' | 'close'>> {
  const { database } = config
  if (database.kind === 'sqlite' && config.blobs.kind === 'files')
    throw new Error(
      'with SQLite and files the database is set back together with the bytes, by `restore`. There is nothing to do.',
    )
  const lock = isForced || database.kind === 'sqlite' ? undefined : await lockNodes(database.url)
  const data = await openPresentData(config)
  return {
    ...data,
    async close() {
      await data.close()
      await lock?.release()
    },
  }
}

/** The source and the target of a move. */
interface MoveData {
  readonly database: MovingDatabase
  readonly from: Objects
  readonly to: { readonly staging: Staging; readonly objects: Objects }
  close(): Promise<void>
}

interface MoveOptions {
  readonly target: Pick<Config, 'database' | 'blobs'>
  /** Before anything is made, unless the move had begun. `note`: where the server is at its end, as a sentence. */
  readonly onBegin: (note: string) => Promise<void>
}

/** Throws an error for people if the server runs, was moved, or is not on SQLite and files, or if the target is not empty. */
export async function openMoveData(config: Config, { target, onBegin }: MoveOptions): Promise<MoveData> {
  const { database, blobs, dataDirectory } = config
  if (database.kind !== 'sqlite' || blobs.kind !== 'files')
    throw new Error('only a server on SQLite and files moves this way. From others: `backup` here, `restore` there.')
  await checkDataDirectory(dataDirectory)
  const locks = [await lockDirectory(dataDirectory), await lockDirectory(dataDirectory, 'backup')]
  const note = placeOf(target)
  const moving = createMovingDatabase({ path: database.path, to: target.database, note })
  await (await openPresentStore(config)).close()
  const from = await openFilesystemBlobs({ directory: blobs.directory, createIfMissing: false, asItIs: true })
  if (target.blobs.kind === 'files') await refuseUsed(target.blobs.directory, moving)
  if (!moving.isBegun()) await onBegin(note)
  const to = await openArriving({ ...config, ...target }, moving.parts)
  // A bucket with a witness has a server. Only a move that was interrupted may find objects there.
  if ((await to.witness?.read()) !== undefined || (!moving.isBegun() && (await hasKeys(to))))
    throw new Error(
      'the target has the bytes of a server already, and nothing is replaced. Name an empty bucket, or another prefix.',
    )
  return {
    database: belongingTo(to.storeId, moving),
    from,
    to,
    async close() {
      moving.close()
      await from.close()
      await to.close()
      for (const lock of locks) lock.release()
    },
  }
}

/** Whether a move to the target has put everything there. It may have been interrupted since. */
export function isMovedTo({ database }: Config, target: Pick<Config, 'database' | 'blobs'>): boolean {
  return database.kind === 'sqlite' && wasMovedTo(database.path, placeOf(target))
}

/** Only a move that was interrupted may find objects there. */
async function refuseUsed(directory: string, { isBegun }: Pick<MovingDatabase, 'isBegun'>): Promise<void> {
  if (isBegun() || !existsSync(directory)) return
  if ((await readdir(directory)).length > 0)
    throw new Error(
      `${directory} is not empty, and nothing is replaced. Name an empty directory, or one that does not exist.`,
    )
}

/** Without user and password. */
function placeOf({ database, blobs }: Pick<Config, 'database' | 'blobs'>): string {
  const rows = database.kind === 'sqlite' ? database.path : databaseNameIn(database.url)
  const files =
    blobs.kind === 'files'
      ? blobs.directory
      : `the bucket ${blobs.address.bucket}${atEndpoint(blobs.address)}, below /${blobs.address.prefix}`
  return `This server was moved to ${rows}, with its files in ${files}.`
}

function atEndpoint({ endpoint }: S3Options['address']): string {
  return endpoint === undefined ? '' : ` at ${endpoint}`
}

function databaseNameIn(url: string): string {
  const { hostname, pathname, searchParams } = new URL(url)
  return `the database ${pathname.slice(1)} of PostgreSQL at ${searchParams.get('host') ?? (hostname || 'localhost')}`
}

function over(store: Store, bytes: Bytes, lock?: DirectoryLock): Data {
  return {
    store,
    ...bytes,
    async close() {
      await store.close()
      await bytes.close()
      lock?.release()
    },
  }
}

const OBJECT_STATES: readonly ObjectState[] = ['kept', 'orphaned', 'marked', 'staged', 'deleting']

async function hasObjects(store: Store, clock: Clock): Promise<boolean> {
  const before = addSeconds(clock.now(), MAX_CLOCK_AHEAD_SECONDS)
  return store.read(async (tx) => {
    for (const state of OBJECT_STATES) if ((await tx.objects.listIn(state, before, 1)).length > 0) return true
    return false
  })
}
