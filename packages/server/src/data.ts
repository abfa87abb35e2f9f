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
import type { BackupDirectory, RestoredDatabase, SnapshotSource } from './ports/backup.ts'
import type { Clock } from './ports/clock.ts'
import type { Keyring } from './ports/keyring.ts'
import type { ObjectState, Store } from './ports/store.ts'

/** What lies in a data directory, opened: for the server, which has it alone, and for the operator's commands, which may run beside it. */
export interface Data {
  readonly store: Store
  readonly blobs: FilesystemBlobs
  close(): Promise<void>
}

/** Whose the directory is: the server's data, with the lock that keeps a second server off. */
export interface ServerData extends Data {
  readonly keyring: Keyring
}

/** For the server: makes what is missing at a first start and brings the schema up to date. Throws when another server has the directory. */
export async function openServerData(config: Config): Promise<ServerData> {
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(config.dataDirectory)
  if (existsSync(config.databasePath + RESTORING)) {
    lock.release()
    throw new Error(
      `a restore into ${config.dataDirectory} was broken off. Call \`blindkeep-server restore\` again, and start then; or remove ${config.databasePath}${RESTORING} to begin without it.`,
    )
  }
  // A new master secret beside an old database would open nothing that the old one sealed.
  const isFirstStart = !existsSync(config.databasePath)
  const keyring = await openKeyring({ masterSecretFile: config.masterSecretFile, createIfMissing: isFirstStart })
  const store = await openSqliteStore({ path: config.databasePath })
  // A disk that is not mounted would otherwise pass for one from which every object has been lost.
  const createIfMissing = !(await knowsObjects(store, systemClock))
  const blobs = await openFilesystemBlobs({ directory: config.blobsDirectory, createIfMissing })
  return { keyring, ...over(store, blobs, lock) }
}

/** For a command: what is there, as it is. Throws an error for people when there is nothing, or when its schema is not this release's. */
export async function openPresentData(config: Config): Promise<Data> {
  const store = await openPresentStore(config)
  const blobs = await openFilesystemBlobs({ directory: config.blobsDirectory, createIfMissing: false, asItIs: true })
  return over(store, blobs)
}

/** The same for a command that needs no bytes. */
export async function openPresentStore({ databasePath }: Config): Promise<Store> {
  return openSqliteStore({ path: databasePath, asItIs: true }).catch((error: unknown) => {
    if (!(error instanceof DatabaseMissing)) throw error
    throw new Error(
      `${error.message}. Set DATA_DIR to the directory of a server that has run, or start it there once.`,
      { cause: error },
    )
  })
}

/** For a command that signs or opens something of the server's. Throws an error for people when the master secret is not there. */
export async function openPresentKeyring({ masterSecretFile }: Config): Promise<Keyring> {
  return openKeyring({ masterSecretFile, createIfMissing: false })
}

/** What a backup is made of and where it goes. The server may run meanwhile. */
interface BackupData extends Data {
  readonly directory: BackupDirectory
  readonly snapshots: SnapshotSource
}

/** Throws an error for people when the directory at `path` is none for a backup, or while another backup of the server is made. */
export async function openBackupData(config: Config, path: string): Promise<BackupData> {
  const { dataDirectory, blobsDirectory, databasePath } = config
  const store = await openPresentStore(config)
  const directory = await openBackupDirectory({ path, apart: [dataDirectory, blobsDirectory], createIfMissing: true })
  const lock = await lockDirectory(dataDirectory, 'backup')
  const blobs = await openFilesystemBlobs({ directory: blobsDirectory, createIfMissing: false, asItIs: true })
  const snapshots = createSnapshots({ databasePath, directory: path })
  return { directory, snapshots, ...over(store, blobs, lock) }
}

/** Where a backup is restored to. No server may run, and there may be no database yet. */
interface RestoreData {
  readonly directory: BackupDirectory
  readonly database: RestoredDatabase
  readonly blobs: FilesystemBlobs
  readonly keyring: Keyring
  close(): Promise<void>
}

/** Throws an error for people when there is a database, when there is no master secret, or when the directory at `path` holds no backup. */
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
    blobs,
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
    blobs,
    async close() {
      await store.close()
      await blobs.close()
      lock?.release()
    },
  }
}

const COPY_STATES: readonly ObjectState[] = ['kept', 'orphaned', 'marked', 'staged', 'deleting']
/** Seconds by which a clock that was wrong can have been ahead when an object was entered. */
const MAX_CLOCK_AHEAD = 1000 * 365 * 86_400

async function knowsObjects(store: Store, clock: Clock): Promise<boolean> {
  const before = addSeconds(clock.now(), MAX_CLOCK_AHEAD)
  return store.read(async (tx) => {
    for (const state of COPY_STATES) if ((await tx.objects.listIn(state, before, 1)).length > 0) return true
    return false
  })
}
