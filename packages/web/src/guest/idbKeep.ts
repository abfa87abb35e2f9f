import { parseSendState } from '@blindkeep/client/guest'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { keepPins, loadPins } from '../common/pinStore.ts'
import { type Keep, type KeptUpload, LANDED_KEPT_MS, type LandedFile, UPLOAD_KEPT_MS } from './keep.ts'

const NAME = 'blindkeep-guest'
const VERSION = 1

interface Tables extends DBSchema {
  uploads: { key: string; value: Omit<KeptUpload, 'reached'>; indexes: { linkId: string } }
  /** Apart from the uploads, whose states are large for large files and change seldom. */
  reached: { key: string; value: number }
  landed: { key: string; value: LandedFile; indexes: { linkId: string } }
}

/** Rejects when this browser keeps nothing, as some do in a private window. */
export async function openKeep(): Promise<Keep> {
  const database = await openDB<Tables>(NAME, VERSION, {
    upgrade(fresh) {
      fresh.createObjectStore('uploads', { keyPath: 'id' }).createIndex('linkId', 'linkId')
      fresh.createObjectStore('reached')
      fresh.createObjectStore('landed', { keyPath: 'id' }).createIndex('linkId', 'linkId')
    },
    // A later version in another tab must not wait for this one.
    blocking: (_current, _blocked, event) => {
      if (event.target instanceof IDBDatabase) event.target.close()
    },
  })
  const otherTabs = new BroadcastChannel(NAME)
  const tell = () => otherTabs.postMessage('changed')
  return {
    isLasting: true,
    ...uploadsIn(database, tell),
    ...landedIn(database, tell),
    pins: (baseUrl) => loadPins(baseUrl).catch(() => undefined),
    putPins: (pins) => orLost(() => keepPins(pins)),
    sweep: (nowMs) => orLost(() => sweep(database, nowMs)),
    onOtherTab(listener) {
      otherTabs.onmessage = listener
    },
  }
}

type Database = IDBPDatabase<Tables>

/** A full disk costs the going on after a reload, and nothing else: sending itself goes on. */
async function orLost(work: () => Promise<unknown>): Promise<void> {
  // A database that the browser has closed throws already when it is asked for a transaction.
  try {
    await work()
  } catch {
    return
  }
}

function uploadsIn(
  database: Database,
  tell: () => void,
): Pick<Keep, 'uploads' | 'putUpload' | 'putReached' | 'removeUpload'> {
  return {
    async uploads(linkId) {
      const kept = await database.getAllFromIndex('uploads', 'linkId', linkId).catch(() => [])
      const readable = kept.filter(isReadable)
      return Promise.all(
        readable.map(async (upload) => ({
          ...upload,
          reached: (await database.get('reached', upload.id).catch(() => 0)) ?? 0,
        })),
      )
    },
    async putUpload(upload) {
      await orLost(() => database.put('uploads', upload))
      tell()
    },
    putReached: (id, bytes) => orLost(() => database.put('reached', bytes, id)),
    async removeUpload(id) {
      await orLost(() => {
        const transaction = database.transaction(['uploads', 'reached'], 'readwrite')
        return Promise.all([
          transaction.objectStore('uploads').delete(id),
          transaction.objectStore('reached').delete(id),
          transaction.done,
        ])
      })
      tell()
    },
  }
}

/** What an earlier release of this page has kept may be of another form. */
function isReadable({ state }: { readonly state: unknown }): boolean {
  try {
    parseSendState(state)
    return true
  } catch {
    return false
  }
}

function landedIn(database: Database, tell: () => void): Pick<Keep, 'land' | 'landed' | 'putReceipt' | 'forgetLanded'> {
  return {
    async land(file) {
      await orLost(() => {
        const transaction = database.transaction(['uploads', 'reached', 'landed'], 'readwrite')
        return Promise.all([
          transaction.objectStore('uploads').delete(file.id),
          transaction.objectStore('reached').delete(file.id),
          transaction.objectStore('landed').put(file),
          transaction.done,
        ])
      })
      tell()
    },
    landed: (linkId) => database.getAllFromIndex('landed', 'linkId', linkId).catch(() => []),
    async putReceipt(id, receipt) {
      await orLost(async () => {
        const transaction = database.transaction('landed', 'readwrite')
        const file = await transaction.store.get(id)
        if (file !== undefined) await transaction.store.put({ ...file, receipt })
        await transaction.done
      })
    },
    async forgetLanded(linkId) {
      await orLost(async () => {
        const transaction = database.transaction('landed', 'readwrite')
        const ids = await transaction.store.index('linkId').getAllKeys(linkId)
        await Promise.all([...ids.map((id) => transaction.store.delete(id)), transaction.done])
      })
      tell()
    },
  }
}

async function sweep(database: Database, nowMs: number): Promise<void> {
  const transaction = database.transaction(['uploads', 'reached', 'landed'], 'readwrite')
  const [uploads, reached, landed] = [
    transaction.objectStore('uploads'),
    transaction.objectStore('reached'),
    transaction.objectStore('landed'),
  ]
  for (const { id, keptAt } of await uploads.getAll())
    if (nowMs - keptAt > UPLOAD_KEPT_MS) await Promise.all([uploads.delete(id), reached.delete(id)])
  for (const { id, landedAt } of await landed.getAll()) if (nowMs - landedAt > LANDED_KEPT_MS) await landed.delete(id)
  await transaction.done
}
