import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { utf8 } from '@blindkeep/protocol/bytes'
import { addSeconds } from '@blindkeep/protocol/ids'
import { openBackupDirectory } from './adapters/filesystem/backupDirectory.ts'
import { type FilesystemBlobs, openFilesystemBlobs } from './adapters/filesystem/blobs.ts'
import { openKeyring } from './adapters/keyring/keyring.ts'
import { openS3 } from './adapters/s3/store.ts'
import { measureDatabaseClock } from './adapters/sql/databaseClock.ts'
import { type DirectoryLock, lockDirectory } from './adapters/sql/directoryLock.ts'
import { openPostgresStore } from './adapters/sql/postgres.ts'
import { openPostgresNode } from './adapters/sql/postgresNode.ts'
import { PostgresEmpty } from './adapters/sql/postgresSchema.ts'
import { createRestoredDatabase, RESTORING } from './adapters/sql/restoredDatabase.ts'
import { createSnapshots } from './adapters/sql/snapshot.ts'
import { DatabaseMissing, openSqliteStore } from './adapters/sql/sqlite.ts'
import { systemClock } from './adapters/system/clock.ts'
import { createSoleNode } from './adapters/system/soleNode.ts'
import type { Config } from './config.ts'
import { MAX_CLOCK_AHEAD_SECONDS } from './domain/custody/collect.ts'
import { createPartIndex } from './domain/custody/partIndex.ts'
import { type BackupDirectory, BackupFailed, type RestoredDatabase, type SnapshotSource } from './ports/backup.ts'
import type { Clock } from './ports/clock.ts'
import type { KeyedBytes } from './ports/keyedBytes.ts'
import type { Keyring } from './ports/keyring.ts'
import type { Node } from './ports/node.ts'
import type { Objects } from './ports/objects.ts'
import type { Staging } from './ports/staging.ts'
import type { ObjectState, Store, StoreBroken } from './ports/store.ts'

/** Opened data: for the server, and for the operator's commands, which may run beside the server. */
export interface Data {
  readonly store: Store
  readonly staging: Staging
  readonly objects: Objects
  /** Undefined for files, which have no keys. */
  readonly keyedBytes?: KeyedBytes | undefined
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
  /** The process must end: what the database says can no longer be relied on. */
  readonly onBroken: (error: StoreBroken) => void
}

/**
 * For the server: creates what is missing at a first start, and updates the schema of SQLite. Throws an error for people when another process has the
 * data: a database of SQLite and a directory of bytes belong to one process each.
 */
export async function openServerData(config: Config, use: ServerUse): Promise<ServerData> {
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 })
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
    const keyring = await openKeyring({ masterSecretFile, createIfMissing: !existsSync(database.path) })
    const store = keep(await openSqliteStore({ path: database.path }))
    return { store, keyring, node: createSoleNode(systemClock) }
  }
  const { url } = database
  const store = keep(await openPostgresStore({ url, schema: 'serve' }))
  const isFirstStart = (await store.read((tx) => tx.server.fact('token_key'))) === undefined
  const keyring = await openKeyring({ masterSecretFile, createIfMissing: isFirstStart })
  const isSole = config.blobs.kind === 'files'
  return { store, keyring, node: keep(await openPostgresNode({ url, isSole, ...use })) }
}

function refuseHalfRestored({ dataDirectory }: Config, databasePath: string): void {
  if (!existsSync(databasePath + RESTORING)) return
  throw new Error(
    `a restore into ${dataDirectory} was interrupted. Run \`blindkeep-server restore\` again before you start the server, or delete ${databasePath}${RESTORING} to start without the backup.`,
  )
}

/** Brings the schema up to date. On SQLite the server must not run. */
export async function migrateData(config: Config): Promise<void> {
  const { database, dataDirectory } = config
  if (database.kind === 'postgres') return (await openPostgresStore({ url: database.url, schema: 'migrate' })).close()
  const lock = await lockDirectory(dataDirectory)
  try {
    refuseHalfRestored(config, database.path)
    await (await openSqliteStore({ path: database.path })).close()
  } finally {
    lock.release()
  }
}

/** For a command: opens existing data without changing it. Throws an error for people if there is none, or if its schema is not that of this release. */
export async function openPresentData(config: Config): Promise<Data> {
  const store = await openPresentStore(config)
  return over(store, await openBytes(config, store, { createIfMissing: false, asItIs: true }))
}

/** As `openPresentData`, for a command that needs no bytes. */
export async function openPresentStore({ database }: Pick<Config, 'database'>): Promise<Store> {
  const opening =
    database.kind === 'sqlite'
      ? openSqliteStore({ path: database.path, asItIs: true })
      : openPostgresStore({ url: database.url, schema: 'asItIs' })
  return opening.catch((error: unknown) => {
    if (error instanceof PostgresEmpty) throw new Error(`${error.message}.`, { cause: error })
    if (!(error instanceof DatabaseMissing)) throw error
    throw new Error(
      `${error.message}. Set DATA_DIR to the directory of a server that has run, or start the server there once.`,
      { cause: error },
    )
  })
}

/** For what works only with SQLite and files. Throws an error for people. */
function pathsIn({ database, blobs }: Config): { readonly databasePath: string; readonly blobsDirectory: string } {
  if (database.kind === 'sqlite' && blobs.kind === 'files')
    return { databasePath: database.path, blobsDirectory: blobs.directory }
  throw new BackupFailed('this works only with SQLite as DATABASE_URL and files as BLOBS_URL so far')
}

type Bytes = Pick<Data, 'staging' | 'objects' | 'keyedBytes' | 'close'>

interface BytesUse {
  readonly createIfMissing: boolean
  /** For a process beside the server. */
  readonly asItIs?: boolean
}

async function openBytes(config: Config, store: Store, use: BytesUse): Promise<Bytes> {
  const { blobs } = config
  if (blobs.kind === 'files') return asData(await openFilesystemBlobs({ directory: blobs.directory, ...use }))
  const known = await store.read((tx) => tx.server.fact('store_id'))
  const bucket = await openS3({
    address: blobs.address,
    credentials: {
      accessKeyId: config.s3AccessKeyId,
      secretAccessKey: config.s3SecretAccessKey,
      sessionToken: config.s3SessionToken,
      file: config.s3CredentialsFile,
    },
    spoolDirectory: config.spoolDirectory,
    index: createPartIndex(store),
    createIfMissing: use.createIfMissing && known === undefined,
  })
  try {
    await checkStoreId(store, bucket.storeId)
    return bucket
  } catch (error) {
    await bucket.close()
    throw error
  }
}

const asData = (blobs: FilesystemBlobs): Bytes => ({ staging: blobs, objects: blobs, close: blobs.close })

/** A database and its bucket belong together: in another bucket every object would look lost. */
async function checkStoreId(store: Store, storeId: string): Promise<void> {
  const known = await store.write(['server'], async (tx) => {
    const present = await tx.server.fact('store_id')
    if (present === undefined) await tx.server.setFact('store_id', utf8(storeId))
    return present === undefined ? storeId : new TextDecoder().decode(present)
  })
  if (known !== storeId)
    throw new Error(
      'the objects of this database are in another S3 store. Set BLOBS_URL to the bucket and prefix that it belongs to.',
    )
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
  readonly directory: BackupDirectory
  readonly snapshots: SnapshotSource
}

/** Throws an error for people if the directory at `path` cannot hold a backup, or while another backup of the server runs. */
export async function openBackupData(config: Config, path: string): Promise<BackupData> {
  const { dataDirectory } = config
  const { databasePath, blobsDirectory } = pathsIn(config)
  const store = await openPresentStore(config)
  const directory = await openBackupDirectory({ path, apart: [dataDirectory, blobsDirectory], createIfMissing: true })
  const lock = await lockDirectory(dataDirectory, 'backup')
  const blobs = await openFilesystemBlobs({ directory: blobsDirectory, createIfMissing: false, asItIs: true })
  const snapshots = createSnapshots({ databasePath, directory: path })
  return { directory, snapshots, ...over(store, asData(blobs), lock) }
}

/** The source and the target of a restore. No server may run, and there must be no database. */
interface RestoreData {
  readonly directory: BackupDirectory
  readonly database: RestoredDatabase
  readonly staging: Staging
  readonly objects: Objects
  readonly keyring: Keyring
  close(): Promise<void>
}

/** Throws an error for people if there is a database, if there is no master secret, or if the directory at `path` has no backup. */
export async function openRestoreData(config: Config, path: string): Promise<RestoreData> {
  const { dataDirectory } = config
  const { databasePath, blobsDirectory } = pathsIn(config)
  const directory = await openBackupDirectory({ path, apart: [dataDirectory, blobsDirectory], createIfMissing: false })
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(dataDirectory)
  const database = createRestoredDatabase(databasePath)
  const keyring = await openPresentKeyring(config)
  const blobs = await openFilesystemBlobs({ directory: blobsDirectory, createIfMissing: true })
  return {
    directory,
    database,
    ...asData(blobs),
    keyring,
    async close() {
      await blobs.close()
      lock.release()
    },
  }
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
