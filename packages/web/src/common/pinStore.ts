/**
 * The keys with which a server signs its receipts, as this browser has seen them before: no secret, and worth keeping, because a server that takes one back
 * or changes one can be caught only by whoever remembers (specification, Discovery, attestation-keys).
 */
import type { PinnedKeys } from '@blindkeep/client/receipts'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

const DATABASE = 'blindkeep-pins'
const VERSION = 1

interface Pins extends DBSchema {
  /** By the server's id, so that what a guest's page has seen its owner's knows. */
  readonly pins: { key: string; value: PinnedKeys }
}

/** What was kept of the server at this address, or undefined when it is seen for the first time. Rejects where the browser keeps nothing. */
export async function loadPins(baseUrl: string): Promise<PinnedKeys | undefined> {
  // Whatever its path, a server's id is the origin (specification, Discovery, server-info); the client refuses one that says another.
  return withPins((database) => database.get('pins', new URL(baseUrl).origin))
}

/** Keeps what the client has checked (`keys` of its answers). A list that came late never replaces a longer one: another tab may know more by now. */
export async function keepPins(pins: PinnedKeys): Promise<void> {
  await withPins(async (database) => {
    const transaction = database.transaction('pins', 'readwrite')
    const before = await transaction.store.get(pins.serverId)
    if (before === undefined || before.keys.length <= pins.keys.length) await transaction.store.put(pins, pins.serverId)
    await transaction.done
  })
}

/** Opened for each use: a connection that stays open would keep a later version of the page from changing the database. */
async function withPins<Result>(use: (database: IDBPDatabase<Pins>) => Promise<Result>): Promise<Result> {
  const database = await openDB<Pins>(DATABASE, VERSION, {
    upgrade: (fresh) => {
      fresh.createObjectStore('pins')
    },
  })
  try {
    return await use(database)
  } finally {
    database.close()
  }
}
