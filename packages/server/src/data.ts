import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { addSeconds } from '@blindkeep/protocol/ids'
import { type FilesystemBlobs, openFilesystemBlobs } from './adapters/filesystem/blobs.ts'
import { openKeyring } from './adapters/keyring/keyring.ts'
import { type DirectoryLock, lockDirectory } from './adapters/sql/directoryLock.ts'
import { DatabaseMissing, openSqliteStore } from './adapters/sql/sqlite.ts'
import { systemClock } from './adapters/system/clock.ts'
import type { Config } from './config.ts'
import type { Clock } from './ports/clock.ts'
import type { Keyring } from './ports/keyring.ts'
import type { CopyState, Store } from './ports/store.ts'

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
  // A new master secret beside an old database would open nothing that the old one sealed.
  const isFirstStart = !existsSync(config.databasePath)
  const keyring = await openKeyring({ masterSecretFile: config.masterSecretFile, createIfMissing: isFirstStart })
  const store = await openSqliteStore({ path: config.databasePath })
  // A disk that is not mounted would otherwise pass for one from which every copy has been lost.
  const createIfMissing = !(await knowsCopies(store, systemClock))
  const blobs = await openFilesystemBlobs({ directory: config.blobsDirectory, createIfMissing })
  return { keyring, ...over(store, blobs, lock) }
}

/** For a command: what is there, as it is. Throws an error for people when there is nothing, or when its schema is not this release's. */
export async function openPresentData(config: Config): Promise<Data> {
  const store = await openPresentStore(config)
  const blobs = await openFilesystemBlobs({ directory: config.blobsDirectory, createIfMissing: false })
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

const COPY_STATES: readonly CopyState[] = ['kept', 'unowned', 'marked', 'staged', 'doomed']
/** Seconds by which a clock that was wrong can have been ahead when a copy was entered. */
const CLOCK_AHEAD_MOST = 1000 * 365 * 86_400

async function knowsCopies(store: Store, clock: Clock): Promise<boolean> {
  const before = addSeconds(clock.now(), CLOCK_AHEAD_MOST)
  return store.read(async (tx) => {
    for (const state of COPY_STATES) if ((await tx.copies.listIn(state, before, 1)).length > 0) return true
    return false
  })
}
