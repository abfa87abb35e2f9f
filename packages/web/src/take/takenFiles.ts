/**
 * The files that other apps have given to the installed one, for the service worker that takes them and for the page
 * that adds them to albums. They are stored as they are, on this device only, until the server has them
 * (decisions/files-from-other-apps.md).
 */
import type { AccountId, AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { MAX_HEADER_TEXT_BYTES } from '@blindkeep/protocol/suites'
import type { DBSchema, IDBPDatabase } from 'idb'
import { withDatabase } from '../common/storage/withDatabase.ts'

export interface TakenFile {
  readonly id: string
  readonly file: File
  /** By the clock of this device, in milliseconds. */
  readonly takenAt: number
  /** Chosen by the owner: the file is on its way there. */
  readonly albumId?: AlbumId
  /** What it becomes, once it is sealed. */
  readonly assetId?: AssetId
}

/** `off`: no owner wants files here. `many`: more than wait at once. `full`: the browser has no space for them. */
export type TakeFault = 'off' | 'many' | 'full' | 'failed'

/** Of one server, stored at once. */
export const MAX_TAKEN_FILES = 100
export const MAX_TAKEN_HOURS = 24
/** As file systems have it. Another site chooses names and types freely. */
const MAX_NAME_CHARACTERS = 255

interface TakeDatabase extends DBSchema {
  /** Whose files are taken. The key is the base URL of the server. */
  readonly owners: { key: string; value: AccountId }
  readonly files: { key: string; value: TakenFile & { readonly baseUrl: string; readonly accountId: AccountId } }
}

const NAME = 'blindkeep.taken'

function withTaken<Result>(use: (database: IDBPDatabase<TakeDatabase>) => Promise<Result>): Promise<Result> {
  const create = (fresh: IDBPDatabase<TakeDatabase>) => {
    fresh.createObjectStore('owners')
    fresh.createObjectStore('files', { keyPath: 'id' })
  }
  return withDatabase({ name: NAME, version: 1, create }, use)
}

/** Undefined also in a browser that stores nothing. */
export function takingOwner(baseUrl: string): Promise<AccountId | undefined> {
  return withTaken((database) => database.get('owners', baseUrl)).catch(() => undefined)
}

/** From now on files are taken for this account. Deletes another's. Rejects when nothing is stored. */
export async function setTakingOwner(baseUrl: string, accountId: AccountId): Promise<void> {
  await withTaken(async (database) => {
    const setting = database.transaction(['owners', 'files'], 'readwrite')
    await setting.objectStore('owners').put(accountId, baseUrl)
    const files = setting.objectStore('files')
    for (const taken of await files.getAll())
      if (taken.baseUrl === baseUrl && taken.accountId !== accountId) await files.delete(taken.id)
    await setting.done
  })
  sayChanged()
}

/** Takes no more files, and deletes those that are stored. */
export async function endTaken(baseUrl: string): Promise<void> {
  await withTaken(async (database) => {
    const ending = database.transaction(['owners', 'files'], 'readwrite')
    await ending.objectStore('owners').delete(baseUrl)
    const files = ending.objectStore('files')
    for (const taken of await files.getAll()) if (taken.baseUrl === baseUrl) await files.delete(taken.id)
    await ending.done
  })
  sayChanged()
}

/** Stores all files or none, then with the reason. One transaction: an owner may turn it off meanwhile. */
export async function takeFiles(baseUrl: string, given: readonly File[]): Promise<TakeFault | undefined> {
  const now = Date.now()
  try {
    const fault = await withTaken(async (database): Promise<TakeFault | undefined> => {
      const taking = database.transaction(['owners', 'files'], 'readwrite')
      const files = taking.objectStore('files')
      const accountId = await taking.objectStore('owners').get(baseUrl)
      if (accountId === undefined) return 'off'
      const present = (await files.getAll()).filter((taken) => taken.baseUrl === baseUrl)
      const expired = present.filter(isExpired)
      for (const { id } of expired) await files.delete(id)
      if (present.length - expired.length + given.length > MAX_TAKEN_FILES) return 'many'
      try {
        for (const file of given)
          await files.put({ id: crypto.randomUUID(), baseUrl, accountId, file: shortened(file), takenAt: now })
      } catch (error) {
        abort(taking)
        throw error
      }
      await taking.done
      return undefined
    })
    sayChanged()
    return fault
  } catch (error) {
    return error instanceof DOMException && error.name === 'QuotaExceededError' ? 'full' : 'failed'
  }
}

/** A request that fails while it is made leaves its transaction as it is, one that fails later has aborted it. */
function abort(taking: { abort(): void; readonly done: Promise<void> }): void {
  taking.done.catch(() => undefined)
  try {
    taking.abort()
  } catch {
    // It has aborted by itself.
  }
}

function shortened(file: File): File {
  const { name, type } = file
  if (name.length <= MAX_NAME_CHARACTERS && type.length <= MAX_HEADER_TEXT_BYTES.type) return file
  // Of a type, a part says nothing.
  return new File([file], name.slice(0, MAX_NAME_CHARACTERS).toWellFormed(), {
    type: type.length > MAX_HEADER_TEXT_BYTES.type ? '' : type,
  })
}

function isExpired({ takenAt }: TakenFile): boolean {
  return Math.abs(Date.now() - takenAt) > MAX_TAKEN_HOURS * 3_600_000
}

interface Whose {
  readonly baseUrl: string
  /** Of all accounts if left out. */
  readonly accountId?: AccountId | undefined
}

/** In the order in which they came, those of one share by name. Deletes the expired ones. */
export async function takenFiles({ baseUrl, accountId }: Whose): Promise<readonly TakenFile[]> {
  return withTaken(async (database) => {
    const stored = (await database.getAll('files')).filter(
      (taken) => taken.baseUrl === baseUrl && (accountId === undefined || taken.accountId === accountId),
    )
    const expired = stored.filter(isExpired)
    for (const { id } of expired) await database.delete('files', id)
    if (expired.length > 0) sayChanged()
    return stored
      .filter((taken) => !isExpired(taken))
      .toSorted((one, other) => one.takenAt - other.takenAt || one.file.name.localeCompare(other.file.name))
  })
}

/** Undefined when the file is no longer stored. */
export function takenFile(id: string): Promise<TakenFile | undefined> {
  return withTaken((database) => database.get('files', id))
}

/** Resolves with those that this tab is to add: another may have been faster, or have discarded some. */
export async function chooseAlbumOf(ids: readonly string[], albumId: AlbumId): Promise<readonly string[]> {
  const own = await change(ids, (taken) => (taken.albumId === undefined ? { albumId } : undefined))
  sayChanged()
  return own
}

/** Call it before the upload is stored: a page that is loaded again then finds the file of the upload. */
export async function nameAssetOf(id: string, assetId: AssetId): Promise<void> {
  await change([id], () => ({ assetId }))
}

/** A deleted file stays deleted. Resolves with the ids of those that were changed. */
function change(
  ids: readonly string[],
  changesOf: (taken: TakenFile) => Partial<TakenFile> | undefined,
): Promise<readonly string[]> {
  return withTaken(async (database) => {
    const changing = database.transaction('files', 'readwrite')
    const changed: string[] = []
    for (const id of ids) {
      const present = await changing.store.get(id)
      const changes = present && changesOf(present)
      if (present === undefined || changes === undefined) continue
      await changing.store.put({ ...present, ...changes })
      changed.push(id)
    }
    await changing.done
    return changed
  })
}

export async function deleteTaken(ids: readonly string[]): Promise<void> {
  await withTaken((database) => Promise.all(ids.map((id) => database.delete('files', id))))
  sayChanged()
}

const CHANGES = 'blindkeep.taken'

function sayChanged(): void {
  const channel = new BroadcastChannel(CHANGES)
  channel.postMessage('changed')
  channel.close()
}

/** Calls back when any tab or the service worker has changed what is stored. */
export function onTakenChange(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANGES)
  channel.onmessage = listener
  return () => channel.close()
}
