import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { addSeconds } from '@blindkeep/protocol/ids'
import { openBackupDirectory } from './adapters/filesystem/backupDirectory.ts'
import { type FilesystemBlobs, openFilesystemBlobs } from './adapters/filesystem/blobs.ts'
import { openKeyring } from './adapters/keyring/keyring.ts'
import { type DirectoryLock, lockDirectory } from './adapters/sql/directoryLock.ts'
import { createRestoredDatabase, RESTORING } from './adapters/sql/restoredDatabase.ts'
import { createSnapshots } from './adapters/sql/snapshot.ts'
import { DatabaseMissing, openSqliteStore } from './adapters/sql/sqlite.ts'
import { systemClock } from './adapters/system/clock.ts'
import type { Config } from './config.ts'
import { MAX_CLOCK_AHEAD_SECONDS } from './domain/custody/collect.ts'
import type { BackupDirectory, RestoredDatabase, SnapshotSource } from './ports/backup.ts'
import type { Clock } from './ports/clock.ts'
import type { KeyedBytes } from './ports/keyedBytes.ts'
import type { Keyring } from './ports/keyring.ts'
import type { Objects } from './ports/objects.ts'
import type { Staging } from './ports/staging.ts'
import type { ObjectState, Store } from './ports/store.ts'

/** An opened data directory: for the server, which locks it, and for the operator's commands, which may run beside the server. */
export interface Data {
  readonly store: Store
  readonly staging: Staging
  readonly objects: Objects
  /** Undefined for files, which have no keys. */
  readonly keyedBytes?: KeyedBytes | undefined
  close(): Promise<void>
}

/** The server's data directory, with the lock that keeps a second server out. */
export interface ServerData extends Data {
  readonly keyring: Keyring
}

/** For the server: creates what is missing at a first start and updates the schema. Throws when another server has the directory. */
export async function openServerData(config: Config): Promise<ServerData> {
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(config.dataDirectory)
  if (existsSync(config.databasePath + RESTORING)) {
    lock.release()
    throw new Error(
      `a restore into ${config.dataDirectory} was interrupted. Run \`blindkeep-server restore\` again before you start the server, or delete ${config.databasePath}${RESTORING} to start without the backup.`,
    )
  }
  // A new master secret could not decrypt the keys in an existing database.
  const isFirstStart = !existsSync(config.databasePath)
  const keyring = await openKeyring({ masterSecretFile: config.masterSecretFile, createIfMissing: isFirstStart })
  const store = await openSqliteStore({ path: config.databasePath })
  // An unmounted disk must not look like an empty one: then every object would count as lost.
  const createIfMissing = !(await hasObjects(store, systemClock))
  const blobs = await openFilesystemBlobs({ directory: config.blobsDirectory, createIfMissing })
  return { keyring, ...over(store, blobs, lock) }
}

/** For a command: opens existing data without changing it. Throws an error for people if there is none, or if its schema is not that of this release. */
export async function openPresentData(config: Config): Promise<Data> {
  const store = await openPresentStore(config)
  const blobs = await openFilesystemBlobs({ directory: config.blobsDirectory, createIfMissing: false, asItIs: true })
  return over(store, blobs)
}

/** As `openPresentData`, for a command that needs no bytes. */
export async function openPresentStore({ databasePath }: Config): Promise<Store> {
  return openSqliteStore({ path: databasePath, asItIs: true }).catch((error: unknown) => {
    if (!(error instanceof DatabaseMissing)) throw error
    throw new Error(
      `${error.message}. Set DATA_DIR to the directory of a server that has run, or start the server there once.`,
      { cause: error },
    )
  })
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
  const { dataDirectory, blobsDirectory, databasePath } = config
  const store = await openPresentStore(config)
  const directory = await openBackupDirectory({ path, apart: [dataDirectory, blobsDirectory], createIfMissing: true })
  const lock = await lockDirectory(dataDirectory, 'backup')
  const blobs = await openFilesystemBlobs({ directory: blobsDirectory, createIfMissing: false, asItIs: true })
  const snapshots = createSnapshots({ databasePath, directory: path })
  return { directory, snapshots, ...over(store, blobs, lock) }
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
  const { dataDirectory, blobsDirectory, databasePath } = config
  const directory = await openBackupDirectory({ path, apart: [dataDirectory, blobsDirectory], createIfMissing: false })
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(dataDirectory)
  const database = createRestoredDatabase(databasePath)
  const keyring = await openPresentKeyring(config)
  const blobs = await openFilesystemBlobs({ directory: blobsDirectory, createIfMissing: true })
  return {
    directory,
    database,
    staging: blobs,
    objects: blobs,
    keyring,
    async close() {
      await blobs.close()
      lock.release()
    },
  }
}

function over(store: Store, blobs: FilesystemBlobs, lock?: DirectoryLock): Data {
  return {
    store,
    staging: blobs,
    objects: blobs,
    async close() {
      await store.close()
      await blobs.close()
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
