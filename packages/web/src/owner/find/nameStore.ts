/** The sealed parts of the index of names (IndexedDB). Two tabs may add and merge at once: no part is ever changed. */
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { DBSchema, IDBPDatabase } from 'idb'
import { withDatabase } from '../../common/storage/withDatabase.ts'

export interface StoredPart {
  readonly id: number
  /** Undefined for what is no bytes. */
  readonly sealed: Bytes | undefined
}

interface Names extends DBSchema {
  parts: { key: number; value: { readonly place: string; readonly sealed: unknown }; indexes: { place: string } }
}

function withNames<Result>(use: (database: IDBPDatabase<Names>) => Promise<Result>): Promise<Result> {
  const create = (fresh: IDBPDatabase<Names>) =>
    void fresh.createObjectStore('parts', { autoIncrement: true }).createIndex('place', 'place')
  return withDatabase({ name: 'blindkeep-names', version: 1, create }, use)
}

/** Empty in a browser that stores nothing. */
export async function loadParts(place: string): Promise<readonly StoredPart[]> {
  const load = withNames(async (database) => {
    const reading = database.transaction('parts').store.index('place')
    const [ids, parts] = await Promise.all([reading.getAllKeys(place), reading.getAll(place)])
    return parts.map(({ sealed }, index) => ({
      id: ids[index] ?? 0,
      sealed: sealed instanceof Uint8Array ? Uint8Array.from(sealed) : undefined,
    }))
  })
  return load.catch(() => [])
}

/** Adds these parts and deletes others, in one step. Rejects when the disk is full or the browser stores nothing. */
export async function changeParts(place: string, added: readonly Bytes[], deleted: readonly number[]): Promise<void> {
  await withNames(async (database) => {
    const changing = database.transaction('parts', 'readwrite')
    for (const sealed of added) await changing.store.add({ place, sealed })
    for (const id of deleted) await changing.store.delete(id)
    await changing.done
  })
}

/** Those of this place, or of all others. */
export async function deleteParts(places: { readonly of: string } | { readonly notOf: string }): Promise<void> {
  await withNames(async (database) => {
    const changing = database.transaction('parts', 'readwrite')
    for await (const cursor of changing.store) {
      const { place } = cursor.value
      if ('of' in places ? place === places.of : place !== places.notOf) await cursor.delete()
    }
    await changing.done
  }).catch(() => undefined)
}
