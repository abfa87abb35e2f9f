/**
 * The largest number of a change that this browser has seen of each account. It stays after a sign-out, so that a later session notices a server that lists
 * less. Stored under a hash of the account key: without that key the number cannot be related to an account.
 */
import type { Owner } from '@blindkeep/client/owner'
import { concatBytes, toHex } from '@blindkeep/protocol/bytes'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

/** The largest number of a change that this browser has seen of the account. */
export interface SeenChange {
  load(): Promise<number>
  /** Keeps a larger number, which another tab may have stored. Best effort. */
  save(seq: number): Promise<void>
  /** Replaces a larger number, after the owner has accepted a list that ends here. Best effort. */
  lower(seq: number): Promise<void>
}

interface SeenDatabase extends DBSchema {
  seen: { key: string; value: number }
}

const DATABASE = 'blindkeep-seen'
const LABEL = new TextEncoder().encode('blindkeep/seen-change/1\0')

/** A browser that stores nothing remembers nothing. */
export function seenChangeOf({ accountKey }: Pick<Owner, 'accountKey'>): SeenChange {
  const name = crypto.subtle
    .digest('SHA-256', concatBytes(LABEL, accountKey))
    .then((hash) => toHex(new Uint8Array(hash)))
  return {
    load: async () => {
      const key = await name
      return withSeen(async (database) => (await database.get('seen', key)) ?? 0).catch(() => 0)
    },
    save: async (seq) => {
      const key = await name
      await withSeen(async (database) => {
        const transaction = database.transaction('seen', 'readwrite')
        const before = (await transaction.store.get(key)) ?? 0
        if (seq > before) await transaction.store.put(seq, key)
        await transaction.done
      }).catch(() => undefined)
    },
    lower: async (seq) => {
      const key = await name
      await withSeen((database) => database.put('seen', seq, key)).catch(() => undefined)
    },
  }
}

/** Opens the database for each use: an open connection would stop a later version of the page from upgrading it. */
async function withSeen<Result>(use: (database: IDBPDatabase<SeenDatabase>) => Promise<Result>): Promise<Result> {
  const database = await openDB<SeenDatabase>(DATABASE, 1, {
    upgrade: (fresh) => {
      fresh.createObjectStore('seen')
    },
  })
  try {
    return await use(database)
  } finally {
    database.close()
  }
}
