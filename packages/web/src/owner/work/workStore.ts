/**
 * Stores in IndexedDB what is left of each piece of work. Ids are in clear, all else is sealed under the account key:
 * names, senders and notes. A row for each item, so that one that is done costs one small deletion.
 */
import type { Owner } from '@blindkeep/client/owner'
import { type DBSchema, deleteDB, type IDBPDatabase } from 'idb'
import { withDatabase } from '../../common/storage/withDatabase.ts'
import type { AccountAt } from '../uploads/uploadStore.ts'
import { type LocalSeal, localSealOf } from './localSeal.ts'
import type { StoredWork, WorkItem, WorkOrder } from './workOrder.ts'

interface WorkRow extends AccountAt {
  readonly id: string
  /** The page that does it. */
  readonly pageId: string
  readonly sealed: Uint8Array
}

/** Sealed: all of the work but its items. */
type Head = Omit<WorkOrder, 'items' | 'last'> & Pick<StoredWork, 'total' | 'begunAt'>

interface ItemRow {
  readonly workId: string
  readonly itemId: string
  readonly isBegun: boolean
  readonly sealed: Uint8Array
  /** How far its step is, sealed. */
  readonly note?: Uint8Array | undefined
}

/** Sealed. The last has no position. */
interface Placed {
  readonly item: WorkItem
  readonly position?: number | undefined
}

interface WorkDatabase extends DBSchema {
  works: { key: string; value: WorkRow }
  items: { key: [string, string]; value: ItemRow; indexes: { itemId: string } }
}

/** None of its functions rejects: in a browser that stores nothing, work ends with its page. */
export interface WorkStore {
  /** Durable when it resolves. */
  store(work: StoredWork, pageId: string): Promise<void>
  forget(workId: string): Promise<void>
  forgetItems(itemIds: readonly string[]): Promise<void>
  /** The step of the item begins. Durable when it resolves. */
  markBegun(itemId: string): Promise<void>
  /** How far the step is: JSON, or undefined to begin it again. Durable when it resolves. */
  note(itemId: string, how: unknown): Promise<void>
  noted(itemId: string): Promise<unknown>
  /** Pages that have work of this account, or had. */
  pages(): Promise<readonly string[]>
  /** The work of a page that has left, oldest first; it belongs to the other page now. Deletes what does not open. */
  takeOver(pageId: string, newPageId: string): Promise<readonly StoredWork[]>
}

interface StoreOf {
  readonly owner: Pick<Owner, 'accountId' | 'accountKey'>
  readonly baseUrl: string
}

export function createWorkStore({ owner, baseUrl }: StoreOf): WorkStore {
  const { accountId } = owner
  const seal = localSealOf(owner.accountKey, 'work')
  return {
    async store(work, pageId) {
      const { id, order, total, begunAt } = work
      const { items, last, ...kind } = order
      const head: Head = { ...kind, total, begunAt }
      const placed: readonly Placed[] = [
        ...items.map((item, position) => ({ item, position })),
        ...(last === undefined ? [] : [{ item: last }]),
      ]
      const row = { id, pageId, accountId, baseUrl, sealed: await seal.seal(id, head) }
      const rows = await Promise.all(
        placed.map(async (each) => {
          const itemId = each.item.id
          return { workId: id, itemId, isBegun: false, sealed: await seal.seal(placeOf(id, itemId), each) }
        }),
      )
      await withWork(async (database) => {
        const change = database.transaction(['works', 'items'], 'readwrite', { durability: 'strict' })
        const itemRows = change.objectStore('items')
        await Promise.all([
          change.objectStore('works').put(row),
          ...rows.map((each) => itemRows.put(each)),
          change.done,
        ])
      })
    },

    forget: (workId) => withWork((database) => deleteWork(database, workId)),

    async forgetItems(itemIds) {
      if (itemIds.length === 0) return
      await withWork(async (database) => {
        const change = database.transaction('items', 'readwrite')
        const index = change.store.index('itemId')
        for (const itemId of itemIds) for (const key of await index.getAllKeys(itemId)) await change.store.delete(key)
        await change.done
      })
    },

    markBegun: (itemId) => changeItem(itemId, { isBegun: true }),

    async note(itemId, how) {
      await changeItem(itemId, { note: how === undefined ? undefined : await seal.seal(noteOf(itemId), how) })
    },

    async noted(itemId) {
      const rows = await withWork((database) => database.getAllFromIndex('items', 'itemId', itemId))
      return await seal.open(noteOf(itemId), rows?.[0]?.note)
    },

    async pages() {
      deleteEarlier().catch(() => undefined)
      const rows = await worksOf({ accountId, baseUrl })
      return [...new Set(rows.map(({ pageId }) => pageId))]
    },

    async takeOver(pageId, newPageId) {
      const rows = (await worksOf({ accountId, baseUrl })).filter((row) => row.pageId === pageId)
      const taken: StoredWork[] = []
      await withWork(async (database) => {
        for (const row of rows) {
          const work = await readWork(database, seal, row)
          if (work === undefined) await deleteWork(database, row.id)
          else {
            await database.put('works', { ...row, pageId: newPageId })
            taken.push(work)
          }
        }
      })
      return taken.toSorted((a, b) => a.begunAt - b.begunAt)
    },
  }
}

async function changeItem(itemId: string, by: Partial<Pick<ItemRow, 'isBegun' | 'note'>>): Promise<void> {
  await withWork(async (database) => {
    const change = database.transaction('items', 'readwrite', { durability: 'strict' })
    for (const row of await change.store.index('itemId').getAll(itemId)) await change.store.put({ ...row, ...by })
    await change.done
  })
}

/** Of earlier versions, with names in clear. What they had left without a signature is offered in its album. */
async function deleteEarlier(): Promise<void> {
  await deleteDB('blindkeep-keeps')
}

/** Undefined if nothing of it is left, or it does not open. */
async function readWork(
  database: IDBPDatabase<WorkDatabase>,
  seal: LocalSeal,
  { id, sealed }: WorkRow,
): Promise<StoredWork | undefined> {
  // Only this page's code can have sealed it, in this form.
  const head = (await seal.open(id, sealed)) as Head | undefined
  const rows = await database.getAll('items', ofWork(id))
  const opened = await Promise.all(
    rows.map(async ({ itemId, sealed }) => (await seal.open(placeOf(id, itemId), sealed)) as Placed | undefined),
  )
  const placed = opened.filter((each) => each !== undefined)
  if (head === undefined || placed.length === 0) return undefined
  const { total, begunAt, ...kind } = head
  const items = placed
    .filter(({ position }) => position !== undefined)
    .toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0))
    .map(({ item }) => item)
  const last = placed.find(({ position }) => position === undefined)?.item
  const begun = new Set(rows.filter(({ isBegun }) => isBegun).map(({ itemId }) => itemId))
  return { id, order: { ...kind, items, last }, begun, total, begunAt }
}

/** How many pieces of work are stored, in whichever tab they are done. */
export async function storedWorkCount(of: AccountAt): Promise<number> {
  return (await worksOf(of)).length
}

/** After a sign-out nothing of them stays in the browser. */
export async function deleteWorks(of: AccountAt): Promise<void> {
  const rows = await worksOf(of)
  await withWork(async (database) => {
    for (const { id } of rows) await deleteWork(database, id)
  })
}

/** Of accounts whose sessions ended without a sign-out. */
export async function deleteWorksOfOthers({ accountId, baseUrl }: AccountAt): Promise<void> {
  await withWork(async (database) => {
    for (const row of await database.getAll('works'))
      if (row.baseUrl === baseUrl && row.accountId !== accountId) await deleteWork(database, row.id)
  })
}

async function worksOf({ accountId, baseUrl }: AccountAt): Promise<readonly WorkRow[]> {
  const rows = await withWork((database) => database.getAll('works'))
  return (rows ?? []).filter((row) => row.accountId === accountId && row.baseUrl === baseUrl)
}

async function deleteWork(database: IDBPDatabase<WorkDatabase>, workId: string): Promise<void> {
  const change = database.transaction(['works', 'items'], 'readwrite')
  await change.objectStore('works').delete(workId)
  await change.objectStore('items').delete(ofWork(workId))
  await change.done
}

const placeOf = (workId: string, itemId: string) => `${workId}/${itemId}`
const noteOf = (itemId: string) => `${itemId} note`
/** All keys that begin with the id: an array is after every string (Indexed Database API, keys). */
const ofWork = (workId: string) => IDBKeyRange.bound([workId], [workId, []])

/** Undefined in a browser that stores nothing. */
async function withWork<Result>(
  use: (database: IDBPDatabase<WorkDatabase>) => Promise<Result>,
): Promise<Result | undefined> {
  const create = (fresh: IDBPDatabase<WorkDatabase>) => {
    fresh.createObjectStore('works', { keyPath: 'id' })
    fresh.createObjectStore('items', { keyPath: ['workId', 'itemId'] }).createIndex('itemId', 'itemId')
  }
  return await withDatabase({ name: 'blindkeep.work', version: 1, create }, use).catch(() => undefined)
}
