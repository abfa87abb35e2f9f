/** What the command opens that moves a server to another address. */
import { dirname } from 'node:path'
import { lockNodes } from '../adapters/sql/postgres/lockNodes.ts'
import { lockDirectory } from '../adapters/sql/sqlite/directoryLock.ts'
import { syncPath } from '../adapters/sql/sqlite/syncPath.ts'
import { outdateCopies } from '../adapters/sql/sqlite/upgradeCopies.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Keyring } from '../ports/keyring.ts'
import { clockOf, type Data, openPresentData, openPresentKeyring, refuseHalfRestored } from './data.ts'
import { openTogether } from './together.ts'

interface AddressMoveData extends Pick<Data, 'store' | 'witness'> {
  readonly keyring: Keyring
  readonly clock: Clock
  /** Throws an error for people if a node could have started since the opening. */
  requireAlone(): Promise<void>
  /** What could set the database back to the old address leads back no more. Durable when it returns. */
  outdateCopies(): void
  close(): Promise<void>
}

/** Throws an error for people while a node or a backup runs, or if the server's data or master secret is not there. */
export async function openAddressMove(config: Config): Promise<AddressMoveData> {
  const { database } = config
  return openTogether(async (keep) => {
    const alone = await (database.kind === 'sqlite' ? lockOwn(config, database.path) : lockAll(database.url))
    keep({ close: alone.release })
    const keyring = await openPresentKeyring(config)
    const data = keep(await openPresentData(config))
    return { ...data, ...alone, keyring, clock: await clockOf(config) }
  })
}

interface Alone extends Pick<AddressMoveData, 'requireAlone' | 'outdateCopies'> {
  release(): Promise<void>
}

/** The system keeps the locks for as long as the process lives. */
async function lockOwn({ dataDirectory }: Config, path: string): Promise<Alone> {
  const server = await lockDirectory(dataDirectory)
  try {
    refuseHalfRestored({ dataDirectory }, path)
    const backup = await lockDirectory(dataDirectory, 'backup')
    return {
      requireAlone: async () => undefined,
      outdateCopies() {
        if (outdateCopies(path) > 0) syncPath(dirname(path))
      },
      async release() {
        backup.release()
        server.release()
      },
    }
  } catch (error) {
    server.release()
    throw error
  }
}

/** The lock is of a connection, and ends with it. */
async function lockAll(url: string): Promise<Alone> {
  const lock = await lockNodes(url)
  return { requireAlone: lock.require, outdateCopies: () => undefined, release: lock.release }
}
