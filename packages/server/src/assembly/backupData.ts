/** What the commands open that make a backup, restore one, or say that a database was restored. */
import { join } from 'node:path'
import { openBackupDirectory } from '../adapters/filesystem/backupDirectory.ts'
import { checkDataDirectory, makeDataDirectory } from '../adapters/filesystem/dataDirectory.ts'
import {
  createRestoredDatabase,
  createRestoredPostgres,
  refusePresent,
} from '../adapters/sql/copying/restoredDatabase.ts'
import { createPostgresSnapshots, createSnapshots } from '../adapters/sql/copying/snapshot.ts'
import { lockNodes } from '../adapters/sql/postgres/lockNodes.ts'
import { lockDirectory } from '../adapters/sql/sqlite/directoryLock.ts'
import type { Config } from '../config/config.ts'
import type { BackupManifest } from '../domain/backup/backupManifest.ts'
import { requireBackupOf } from '../domain/backup/bringBack.ts'
import { acceptedManifest, type RestoreOptions } from '../domain/backup/restore.ts'
import { belongingTo } from '../domain/custody/storeId.ts'
import type { BackupDirectory, RestoredDatabase, SnapshotSource } from '../ports/backup.ts'
import type { Keyring } from '../ports/keyring.ts'
import { type Bytes, openArriving, openBytes } from './bytes.ts'
import { type Data, openPresentData, openPresentKeyring, openPresentStore } from './data.ts'
import { closing, openTogether } from './together.ts'

/** The sources and the target of a backup. The server may run. */
interface BackupData extends Data {
  readonly keyring: Keyring
  readonly directory: BackupDirectory
  readonly snapshots: SnapshotSource
}

/** Throws for people if `path` cannot hold a backup, or while another backup of the server runs. */
export async function openBackupData(config: Config, path: string): Promise<BackupData> {
  const { dataDirectory, database } = config
  return openTogether(async (keep) => {
    const store = keep(await openPresentStore(config))
    const keyring = await openPresentKeyring(config)
    const directory = await openBackupDirectory({ path, apart: ownDirectories(config), mayBeMissing: true })
    await makeDataDirectory(dataDirectory)
    keep(closing(await lockDirectory(dataDirectory, 'backup')))
    const bytes = keep(await openBytes(config, store, { createIfMissing: false, asItIs: true }))
    const snapshots =
      database.kind === 'sqlite'
        ? createSnapshots({ databasePath: database.path, directory: path })
        : createPostgresSnapshots({ url: database.url, directory: path })
    return { store, directory, snapshots, keyring, ...bytes }
  })
}

/** The data that a repair brings objects back to, and the backup that they come from. The server may run. */
interface RepairData extends Data {
  readonly directory: BackupDirectory
}

/**
 * Throws for people if the directory at `path` has no backup of this server, or while another repair writes to the same
 * directory of bytes. `isDry` changes nothing.
 */
export async function openRepairData(
  config: Config,
  path: string,
  { isDry }: { readonly isDry: boolean },
): Promise<RepairData> {
  const { blobs } = config
  const directory = await openBackupDirectory({ path, apart: ownDirectories(config), mayBeMissing: false })
  return openTogether(async (keep) => {
    const data = keep(await openPresentData(config))
    await requireBackupOf(data.store, directory)
    if (!isDry && blobs.kind === 'files') {
      keep(closing(await lockDirectory(blobs.directory, 'repair')))
      await data.replacing?.clear()
    }
    return { ...data, directory }
  })
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

interface RestoreOpening extends RestoreOptions {
  /** Called before anything is created. */
  readonly onAccepted?: (manifest: BackupManifest) => Promise<void>
}

/**
 * Throws an error for people if there is a database, if there is no master secret, or if the directory at `path` has no
 * backup that `options` accept. Then nothing was created.
 */
export async function openRestoreData(config: Config, path: string, options: RestoreOpening): Promise<RestoreData> {
  const { dataDirectory } = config
  await checkDataDirectory(dataDirectory)
  const directory = await openBackupDirectory({ path, apart: ownDirectories(config), mayBeMissing: false })
  const keyring = await openPresentKeyring(config)
  const { manifest } = await acceptedManifest({ directory, keyring }, options)
  if (config.database.kind === 'sqlite') refusePresent(config.database.path)
  await options.onAccepted?.(manifest)
  await makeDataDirectory(dataDirectory)
  return openTogether(async (keep) => {
    keep(closing(await lockDirectory(dataDirectory)))
    const database =
      config.database.kind === 'sqlite'
        ? createRestoredDatabase(config.database.path)
        : await createRestoredPostgres({ url: config.database.url, path: join(dataDirectory, 'received.sqlite') })
    const bytes = keep(await openArriving(config, database.parts))
    return { ...bytes, directory, database: belongingTo(bytes.storeId, database), keyring }
  })
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
  return openTogether(async (keep) => {
    if (!isForced && database.kind === 'postgres') {
      const lock = await lockNodes(database.url)
      keep({ close: lock.release })
    }
    return keep(await openPresentData(config))
  })
}
