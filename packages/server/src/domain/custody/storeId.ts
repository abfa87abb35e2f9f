/**
 * A database and the S3 store of its objects belong together, and both know the store's id. In another store every
 * object would look lost, and a database that does not know the objects of a store would have them removed as
 * leftovers.
 */
import { utf8 } from '@blindkeep/protocol/bytes'
import type { KeyedBytes } from '../../ports/keyedBytes.ts'
import type { ReadTx, Store } from '../../ports/store.ts'

interface UsedStore {
  readonly storeId: string
  /** This process made it. */
  readonly isNew: boolean
  readonly keyedBytes: KeyedBytes
}

/** Undefined until the server first starts with an S3 store. */
export async function storeIdOf({ server }: Pick<ReadTx, 'server'>): Promise<string | undefined> {
  const id = await server.fact('store_id')
  return id && new TextDecoder().decode(id)
}

/** Throws for people if the objects at `used` are another database's. A store without objects becomes its own. */
export async function checkStoreId(store: Store, used: UsedStore): Promise<void> {
  const isKnown = (await store.read(storeIdOf)) !== undefined
  const isOthers = !isKnown && !used.isNew && (await hasKeys(used))
  const known = await store.write(['server'], async (tx) => {
    const present = await storeIdOf(tx)
    if (present !== undefined || isOthers) return present
    await tx.server.setFact('store_id', utf8(used.storeId))
    return used.storeId
  })
  if (known === undefined)
    throw new Error(
      'the S3 store has objects, and this database knows of none there: they belong to another server. Set DATABASE_URL to the database of these objects, or BLOBS_URL to a new bucket or prefix.',
    )
  if (known !== used.storeId)
    throw new Error(
      'the objects of this database are in another S3 store. Set BLOBS_URL to the bucket and prefix that it belongs to.',
    )
}

/** Files have no keys. */
export async function hasKeys({ keyedBytes }: { readonly keyedBytes?: KeyedBytes | undefined }): Promise<boolean> {
  if (keyedBytes !== undefined) for await (const _ of keyedBytes.list()) return true
  return false
}

/** The same database, whose rows name the S3 store that a restore or a move brings its objects to. */
export function belongingTo<Database extends { open(): Promise<Store> }>(
  storeId: string | undefined,
  database: Database,
): Database {
  return {
    ...database,
    async open() {
      const store = await database.open()
      if (storeId !== undefined) await store.write(['server'], (tx) => tx.server.setFact('store_id', utf8(storeId)))
      return store
    },
  }
}
