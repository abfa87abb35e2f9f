/**
 * What stays in this browser profile (IndexedDB). The account key and tokens only where somebody asked to stay signed in, and until they sign out; the key that
 * this browser signs with always, sealed under the account key, so that nobody can use or even name it without that.
 */
import type { TokenPair } from '@blindkeep/client/owner'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

export interface KeptSession {
  /** SECRET, 32 bytes. */
  readonly accountKey: Bytes
  /** SECRET as well. */
  readonly tokens: TokenPair
}

interface OwnerDatabase extends DBSchema {
  session: { key: string; value: KeptSession }
  devices: { key: number; value: Bytes }
}

const NAME = 'blindkeep.owner'
const VERSION = 1
const KEPT = 'kept'
/** More accounts than this have not signed in in one browser profile; the oldest is forgotten. */
const MAX_DEVICES = 20

function open(): Promise<IDBPDatabase<OwnerDatabase>> {
  return openDB<OwnerDatabase>(NAME, VERSION, {
    upgrade(database) {
      database.createObjectStore('session')
      database.createObjectStore('devices', { autoIncrement: true })
    },
  })
}

async function within<Result>(work: (database: IDBPDatabase<OwnerDatabase>) => Promise<Result>): Promise<Result> {
  const database = await open()
  try {
    return await work(database)
  } finally {
    database.close()
  }
}

/** Undefined where nothing is kept, also in a browser that keeps nothing at all. */
export async function loadSession(): Promise<KeptSession | undefined> {
  return within((database) => database.get('session', KEPT)).catch(() => undefined)
}

/** Durable when it resolves; rejects where the browser keeps nothing. */
export async function saveSession(session: KeptSession): Promise<void> {
  await within(async (database) => {
    const change = database.transaction('session', 'readwrite', { durability: 'strict' })
    await change.store.put(session, KEPT)
    await change.done
  })
}

export async function forgetSession(): Promise<void> {
  await within((database) => database.delete('session', KEPT)).catch(() => undefined)
}

/** All that were ever sealed here, the newest first: whose they are only their account key tells. */
export async function loadSealedDevices(): Promise<readonly Bytes[]> {
  return within((database) => database.getAll('devices')).then(
    (devices) => devices.reverse(),
    () => [],
  )
}

export async function saveSealedDevice(sealed: Bytes): Promise<void> {
  await within(async (database) => {
    const change = database.transaction('devices', 'readwrite')
    await change.store.add(sealed)
    const keys = await change.store.getAllKeys()
    for (const key of keys.slice(0, -MAX_DEVICES)) await change.store.delete(key)
    await change.done
  }).catch(() => undefined)
}
