import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addSeconds } from '@blindkeep/protocol/ids'
import {
  checkDatabaseDirectory,
  checkDataDirectory,
  prepareDataDirectory,
} from '../adapters/filesystem/dataDirectory.ts'
import { openKeyring } from '../adapters/keyring/keyring.ts'
import { refuseMoved, refuseMovedAway } from '../adapters/sql/copying/movingDatabase.ts'
import { RESTORING } from '../adapters/sql/copying/restoredDatabase.ts'
import { measureDatabaseClock } from '../adapters/sql/postgres/databaseClock.ts'
import { openPostgresNode } from '../adapters/sql/postgres/node.ts'
import { checkPostgresSchema, isPostgresOfServer, PostgresEmpty } from '../adapters/sql/postgres/schema.ts'
import { openPostgresStore } from '../adapters/sql/postgres/store.ts'
import { lockDirectory } from '../adapters/sql/sqlite/directoryLock.ts'
import { DatabaseMissing, openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { createSoleNode } from '../adapters/system/soleNode.ts'
import type { Config } from '../config/config.ts'
import { MAX_CLOCK_AHEAD_SECONDS } from '../domain/custody/collect.ts'
import type { Clock } from '../ports/clock.ts'
import type { Keyring } from '../ports/keyring.ts'
import type { Log } from '../ports/log.ts'
import type { Node } from '../ports/node.ts'
import type { ObjectState, Store, StoreBroken } from '../ports/store.ts'
import { type Bytes, openBytes, refuseFoundObjects } from './bytes.ts'
import { closing, type Keep, openTogether } from './together.ts'
import { copyIfUpgraded } from './upgradeCopy.ts'

/** Opened data: for the server, and for the operator's commands, which may run beside the server. */
export interface Data extends Bytes {
  readonly store: Store
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
 * For the server: creates what is missing at a first start, and updates the schema of SQLite, of which it keeps a copy.
 * Throws an error for people when another process has the data: a database of SQLite and a directory of bytes belong to
 * one process each.
 */
export async function openServerData(config: Config, use: ServerUse): Promise<ServerData> {
  const isNew = await isNewServer(config)
  await prepareDataDirectory(config.dataDirectory)
  return openTogether(async (keep) => {
    keep(closing(await lockDirectory(config.dataDirectory)))
    const { keyring, store, node } = await openServerRows(config, use, { keep, isNew })
    // An unmounted disk or an emptied bucket must not look like a new one: then every object would count as lost.
    const createIfMissing = !(await hasObjects(store, node.clock))
    if (config.blobs.kind === 'files' && config.database.kind === 'postgres') {
      await mkdir(config.blobs.directory, { recursive: true, mode: 0o700 })
      keep(closing(await lockDirectory(config.blobs.directory)))
    }
    const bytes = keep(await openBytes(config, store, { createIfMissing }))
    return { store, node, keyring, ...bytes }
  })
}

async function openServerRows(
  config: Config,
  use: ServerUse,
  { keep, isNew }: { readonly keep: Keep; readonly isNew: boolean },
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
  const store = keep(await openPostgresStore({ url, schema: 'serve' }))
  // Another node may have started it meanwhile.
  const createIfMissing = isNew && (await store.read((tx) => tx.server.fact('token_key'))) === undefined
  const keyring = await openKeyring({ masterSecretFile, createIfMissing })
  const isSole = config.blobs.kind === 'files'
  return { store, keyring, node: keep(await openPostgresNode({ url, isSole, ...use })) }
}

/**
 * Whether there is no database of a server yet. Throws an error for people if what is known beside it says that there
 * was one: before anything is created, so that at a mount point without its disk nothing is left behind that the disk
 * would cover.
 */
async function isNewServer(config: Config): Promise<boolean> {
  const why = await whyNew(config)
  if (why === undefined) return false
  if (config.firstStart === 'refused')
    throw new Error(
      `${why}, and FIRST_START=refused says that this server is not new. Is its disk mounted? Is DATA_DIR (and DATABASE_URL) the one of before? If its data is lost, restore a backup (\`blindkeep-server restore\`). Only for a new server without the accounts and files of before, remove FIRST_START from the settings. Nothing was changed.`,
    )
  await refuseFoundObjects(config, why)
  return true
}

/** What says that the database is new. Throws for people if it is being restored or moved, or is other software's. */
async function whyNew({ database, dataDirectory }: Config): Promise<string | undefined> {
  if (database.kind === 'postgres') {
    await checkPostgresSchema(database.url)
    return (await isPostgresOfServer(database.url)) ? undefined : 'the database at DATABASE_URL has no server'
  }
  // Where the server may not look, a database would seem to be missing.
  await checkDataDirectory(dataDirectory)
  await checkDatabaseDirectory(database.path)
  refuseHalfRestored({ dataDirectory }, database.path)
  const path = resolve(database.path)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return `there is no database at ${path}`
  // SQLite would make a new one of it. A copy that a full disk ended leaves one.
  return found.size === 0 ? `the database at ${path} is an empty file` : undefined
}

/** Throws an error for people if the database at `databasePath` is being restored or moved, or was moved. */
export function refuseHalfRestored({ dataDirectory }: Pick<Config, 'dataDirectory'>, databasePath: string): void {
  refuseMoved(databasePath)
  if (!existsSync(databasePath + RESTORING)) return
  throw new Error(
    `a restore into ${dataDirectory} was interrupted. Run \`blindkeep-server restore\` again before you start the server, or delete ${databasePath}${RESTORING} to start without the backup.`,
  )
}

/** For a command: opens data without changing it. Throws for people if there is none, or of another release. */
export async function openPresentData(config: Config): Promise<Data> {
  return openTogether(async (keep) => {
    const store = keep(await openPresentStore(config))
    return { store, ...keep(await openBytes(config, store, { createIfMissing: false, asItIs: true })) }
  })
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

/** The clock of the server's nodes, for a command that writes or compares times. */
export async function clockOf({ database }: Pick<Config, 'database'>): Promise<Clock> {
  return database.kind === 'sqlite' ? systemClock : measureDatabaseClock(database.url)
}

/** For a command that uses the server's private keys. Throws an error for people if the master secret is missing. */
export async function openPresentKeyring({ masterSecretFile }: Config): Promise<Keyring> {
  return openKeyring({ masterSecretFile, createIfMissing: false })
}

const OBJECT_STATES: readonly ObjectState[] = ['kept', 'orphaned', 'marked', 'staged', 'deleting']

async function hasObjects(store: Store, clock: Clock): Promise<boolean> {
  const before = addSeconds(clock.now(), MAX_CLOCK_AHEAD_SECONDS)
  return store.read(async (tx) => {
    for (const state of OBJECT_STATES) if ((await tx.objects.listIn(state, before, 1)).length > 0) return true
    return false
  })
}
