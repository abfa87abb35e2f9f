/**
 * What this browser profile stores for the owner (IndexedDB). The account key and tokens: only when the owner asked to
 * stay signed in, and until sign-out. The device keys: always, each sealed under its account key, so that without that
 * key nothing can use it or tell whose it is.
 */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { DBSchema, IDBPDatabase } from 'idb'
import { isLocalPage } from '../../common/address/localPage.ts'
import { withDatabase } from '../../common/storage/withDatabase.ts'
import { localDevices } from './localDevice.ts'
import { readStoredSession, type StoredSession } from './storedSession.ts'

interface OwnerDatabase extends DBSchema {
  session: { key: string; value: unknown }
  devices: { key: number; value: unknown }
}

const NAME = 'blindkeep.owner'
const VERSION = 1
const KEPT = 'kept'
/** Enough for all accounts of one browser profile; beyond it the oldest is deleted. */
const MAX_DEVICES = 20

function withOwner<Result>(use: (database: IDBPDatabase<OwnerDatabase>) => Promise<Result>): Promise<Result> {
  const create = (fresh: IDBPDatabase<OwnerDatabase>) => {
    fresh.createObjectStore('session')
    fresh.createObjectStore('devices', { autoIncrement: true })
  }
  return withDatabase({ name: NAME, version: VERSION, create }, use)
}

/** Undefined when nothing is stored, also in a browser that stores nothing at all. */
export async function loadSession(): Promise<StoredSession | undefined> {
  const stored: unknown = await withOwner((database) => database.get('session', KEPT)).catch(() => undefined)
  return readStoredSession(stored)
}

/** Durable when it resolves. Rejects when the browser stores nothing. */
export async function saveSession(session: StoredSession): Promise<void> {
  await withOwner(async (database) => {
    const change = database.transaction('session', 'readwrite', { durability: 'strict' })
    await change.store.put(session, KEPT)
    await change.done
  })
}

/** Resolves with whether none is stored now. A browser whose disk is full cannot delete either. */
export function deleteSession(): Promise<boolean> {
  return withOwner((database) => database.delete('session', KEPT)).then(
    () => true,
    () => false,
  )
}

/** The device keys of all accounts, the newest first. Only an account key shows which of them belong to its account. */
export async function loadSealedDevices(): Promise<readonly Bytes[]> {
  if (isLocalPage) return localDevices()
  return withOwner((database) => database.getAll('devices')).then(
    (devices) => devices.reverse().filter((sealed): sealed is Bytes => sealed instanceof Uint8Array),
    () => [],
  )
}

export async function saveSealedDevice(sealed: Bytes): Promise<void> {
  await withOwner(async (database) => {
    const change = database.transaction('devices', 'readwrite')
    await change.store.add(sealed)
    const keys = await change.store.getAllKeys()
    for (const key of keys.slice(0, -MAX_DEVICES)) await change.store.delete(key)
    await change.done
  }).catch(() => undefined)
}
