/**
 * The receipt-signing keys of a server, as this browser has seen them before. They are not secret. A malicious server that removes or changes a key can be
 * detected only by a client that remembers it (specification, Discovery, attestation-keys).
 */
import { joinPins, type PinnedKeys } from '@blindkeep/client/receipts'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

const DATABASE = 'blindkeep-pins'
const VERSION = 1

interface Pins extends DBSchema {
  /** The key is the server's id, so that the guest's page and the owner's page share what they have seen. */
  readonly pins: { key: string; value: PinnedKeys }
}

/** The remembered keys of this server, or undefined when this browser has never seen it. Rejects when the browser stores nothing. */
export async function loadPins(baseUrl: string): Promise<PinnedKeys | undefined> {
  // A server's id is its origin, for every path (specification, Discovery, server-info). The client refuses a server that states another.
  return withPins((database) => database.get('pins', new URL(baseUrl).origin))
}

/**
 * Stores keys that the client has checked. A shorter list never replaces a longer one, because another tab may have stored more keys. Rejects with
 * `AuditError` when the stored keys, which another request may have brought meanwhile, are not of the same list.
 */
export async function keepPins(pins: PinnedKeys): Promise<void> {
  await withPins(async (database) => {
    const transaction = database.transaction('pins', 'readwrite')
    const before = await transaction.store.get(pins.serverId)
    // In the transaction: what was loaded before the request may be outdated.
    await transaction.store.put(joinPins(before, pins), pins.serverId)
    await transaction.done
  })
}

/** Opens the database for each use: an open connection would stop a later version of the page from upgrading it. */
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
