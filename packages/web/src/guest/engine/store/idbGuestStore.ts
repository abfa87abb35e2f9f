import { AuditError } from '@blindkeep/client/errors'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { keepPins, loadPins } from '../../../common/storage/pinStore.ts'
import {
  type GuestStore,
  isLandedExpired,
  isMessageExpired,
  isUploadExpired,
  type LandedFile,
  type PlannedFile,
  type StoredMessage,
  type StoredUpload,
} from './guestStore.ts'
import { readLandedFile, readMessage, readPlannedFile, readStoredUpload } from './storedValues.ts'

const NAME = 'blindkeep-guest'
/** 2: `planned`. 3: `messages`. */
const VERSION = 3

interface Tables extends DBSchema {
  uploads: { key: string; value: Omit<StoredUpload, 'sentBytes'>; indexes: { linkId: string } }
  /** A table of its own: it changes with every chunk, and the state of a large file is large. */
  reached: { key: string; value: number }
  landed: { key: string; value: LandedFile; indexes: { linkId: string } }
  planned: { key: string; value: PlannedFile; indexes: { linkId: string } }
  messages: { key: string; value: StoredMessage }
}

/** Rejects when this browser stores nothing, as some do in a private window. */
export async function openGuestStore(): Promise<GuestStore> {
  const database = await openDB<Tables>(NAME, VERSION, {
    upgrade(opened, before) {
      if (before < 1) {
        opened.createObjectStore('uploads', { keyPath: 'id' }).createIndex('linkId', 'linkId')
        opened.createObjectStore('reached')
        opened.createObjectStore('landed', { keyPath: 'id' }).createIndex('linkId', 'linkId')
      }
      if (before < 2) opened.createObjectStore('planned', { keyPath: 'id' }).createIndex('linkId', 'linkId')
      opened.createObjectStore('messages', { keyPath: 'linkId' })
    },
    // A later version in another tab must not wait for this one.
    blocking: (_current, _blocked, event) => {
      if (event.target instanceof IDBDatabase) event.target.close()
    },
  })
  const otherTabs = new BroadcastChannel(NAME)
  const tellOtherTabs = () => otherTabs.postMessage('changed')
  return {
    isPersistent: true,
    ...uploadsIn(database, tellOtherTabs),
    ...plannedIn(database, tellOtherTabs),
    ...messagesIn(database),
    ...landedIn(database, tellOtherTabs),
    pins: (serverUrl) => loadPins(serverUrl).catch(() => undefined),
    async putPins(pins) {
      try {
        await keepPins(pins)
      } catch (error) {
        if (error instanceof AuditError) throw error
      }
    },
    sweep: (nowMs) => bestEffort(() => sweep(database, nowMs)),
    onOtherTab(listener) {
      otherTabs.onmessage = listener
    },
  }
}

type Database = IDBPDatabase<Tables>

/** Ignores a failure, a full disk for example: sending continues, and only a reload loses the upload. */
async function bestEffort(work: () => Promise<unknown>): Promise<void> {
  // Opening a transaction throws at once when the browser has closed the database.
  try {
    await work()
  } catch {
    return
  }
}

function uploadsIn(
  database: Database,
  tellOtherTabs: () => void,
): Pick<GuestStore, 'uploads' | 'putUpload' | 'putSentBytes' | 'removeUpload'> {
  return {
    async uploads(linkId) {
      const stored = await database.getAllFromIndex('uploads', 'linkId', linkId).catch(() => [])
      const read = await Promise.all(
        stored.map(async (upload) =>
          readStoredUpload(upload, await database.get('reached', upload.id).catch(() => undefined)),
        ),
      )
      return read.filter((upload) => upload !== undefined)
    },
    async putUpload(upload) {
      await bestEffort(() => {
        const transaction = database.transaction(['uploads', 'planned'], 'readwrite')
        return Promise.all([
          transaction.objectStore('uploads').put(upload),
          transaction.objectStore('planned').delete(upload.id),
          transaction.done,
        ])
      })
      tellOtherTabs()
    },
    putSentBytes: (id, bytes) => bestEffort(() => database.put('reached', bytes, id)),
    async removeUpload(id) {
      await bestEffort(() => {
        const transaction = database.transaction(['uploads', 'reached'], 'readwrite')
        return Promise.all([
          transaction.objectStore('uploads').delete(id),
          transaction.objectStore('reached').delete(id),
          transaction.done,
        ])
      })
      tellOtherTabs()
    },
  }
}

function plannedIn(database: Database, tellOtherTabs: () => void): Pick<GuestStore, 'planned' | 'changePlanned'> {
  return {
    async planned(linkId) {
      const stored = await database.getAllFromIndex('planned', 'linkId', linkId).catch(() => [])
      return stored.map(readPlannedFile).filter((file) => file !== undefined)
    },
    async changePlanned({ put, remove }) {
      await bestEffort(() => {
        const transaction = database.transaction('planned', 'readwrite')
        return Promise.all([
          ...put.map((file) => transaction.store.put(file)),
          ...remove.map((id) => transaction.store.delete(id)),
          transaction.done,
        ])
      })
      tellOtherTabs()
    },
  }
}

function messagesIn(database: Database): Pick<GuestStore, 'message' | 'putMessage' | 'removeMessage'> {
  return {
    message: async (linkId) => readMessage(await database.get('messages', linkId).catch(() => undefined)),
    putMessage: (message) => bestEffort(() => database.put('messages', message)),
    removeMessage: (linkId) => bestEffort(() => database.delete('messages', linkId)),
  }
}

function landedIn(
  database: Database,
  tellOtherTabs: () => void,
): Pick<GuestStore, 'land' | 'landed' | 'putReceipt' | 'forgetLanded'> {
  return {
    async land(file) {
      await bestEffort(() => {
        const transaction = database.transaction(['uploads', 'reached', 'planned', 'landed'], 'readwrite')
        return Promise.all([
          transaction.objectStore('uploads').delete(file.id),
          transaction.objectStore('planned').delete(file.id),
          transaction.objectStore('reached').delete(file.id),
          transaction.objectStore('landed').put(file),
          transaction.done,
        ])
      })
      tellOtherTabs()
    },
    async landed(linkId) {
      const stored = await database.getAllFromIndex('landed', 'linkId', linkId).catch(() => [])
      return stored.map(readLandedFile).filter((file) => file !== undefined)
    },
    async putReceipt(id, receipt) {
      await bestEffort(async () => {
        const transaction = database.transaction('landed', 'readwrite')
        const file = await transaction.store.get(id)
        if (file !== undefined) await transaction.store.put({ ...file, receipt })
        await transaction.done
      })
    },
    async forgetLanded(linkId) {
      await bestEffort(async () => {
        const transaction = database.transaction('landed', 'readwrite')
        const ids = await transaction.store.index('linkId').getAllKeys(linkId)
        await Promise.all([...ids.map((id) => transaction.store.delete(id)), transaction.done])
      })
      tellOtherTabs()
    },
  }
}

async function sweep(database: Database, nowMs: number): Promise<void> {
  const transaction = database.transaction(['uploads', 'reached', 'planned', 'messages', 'landed'], 'readwrite')
  const [uploads, sentBytes, planned, messages, landed] = [
    transaction.objectStore('uploads'),
    transaction.objectStore('reached'),
    transaction.objectStore('planned'),
    transaction.objectStore('messages'),
    transaction.objectStore('landed'),
  ]
  const open = new Set<string>()
  for (const upload of await uploads.getAll())
    if (isUploadExpired(upload, nowMs)) await Promise.all([uploads.delete(upload.id), sentBytes.delete(upload.id)])
    else open.add(upload.linkId)
  for (const file of await planned.getAll())
    if (isUploadExpired(file, nowMs)) await planned.delete(file.id)
    else open.add(file.linkId)
  for (const file of await landed.getAll())
    if (isLandedExpired(file, nowMs, open.has(file.linkId))) await landed.delete(file.id)
  for (const message of await messages.getAll())
    if (isMessageExpired(message, nowMs, open.has(message.linkId))) await messages.delete(message.linkId)
  await transaction.done
}
