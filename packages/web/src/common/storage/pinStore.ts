/**
 * The receipt-signing keys of a server, and its newest receipt, as this browser has seen them before. They are not
 * secret. A malicious server that removes or changes a key, or forgets what it signed, can be detected only by a client
 * that remembers it (specification, Discovery, attestation-keys).
 */
import { joinPins, type PinnedKeys, parsePins } from '@blindkeep/client/receipts'
import type { DBSchema, IDBPDatabase } from 'idb'
import { isLocalPage } from '../address/localPage.ts'
import { changeLocalMemory, loadLocalMemory } from './localMemory.ts'
import { withDatabase } from './withDatabase.ts'

const DATABASE = 'blindkeep-pins'
const VERSION = 1

interface Pins extends DBSchema {
  /** The key is the server's id, so that the guest's page and the owner's page share what they have seen. */
  readonly pins: { key: string; value: unknown }
}

/** This server's remembered keys; undefined for a new server. Rejects when the browser stores nothing. */
export async function loadPins(baseUrl: string): Promise<PinnedKeys | undefined> {
  if (isLocalPage) return (await loadLocalMemory()).pins
  // A server's id is its origin, for every path (specification, Discovery, server-info). The client refuses a server
  // that states another.
  return readable(await withPins((database) => database.get('pins', new URL(baseUrl).origin)))
}

/**
 * Stores what the client has checked. Another tab may have stored more keys or a newer receipt, which are kept.
 * Rejects with `AuditError` when what is stored, which another request may have brought meanwhile, is not of the same
 * list and log.
 */
export async function keepPins(pins: PinnedKeys): Promise<void> {
  if (isLocalPage) return changeLocalMemory((memory) => ({ pins: joinPins(memory.pins, pins) }))
  await withPins(async (database) => {
    const transaction = database.transaction('pins', 'readwrite')
    const before = readable(await transaction.store.get(pins.serverId))
    // In the transaction: what was loaded before the request may be outdated.
    await transaction.store.put(joinPins(before, pins), pins.serverId)
    await transaction.done
  })
}

/** Undefined also for a value that another release of this page has stored in another form. */
function readable(stored: unknown): PinnedKeys | undefined {
  if (stored === undefined) return undefined
  try {
    return parsePins(stored)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function withPins<Result>(use: (database: IDBPDatabase<Pins>) => Promise<Result>): Promise<Result> {
  return withDatabase({ name: DATABASE, version: VERSION, create: (fresh) => fresh.createObjectStore('pins') }, use)
}
