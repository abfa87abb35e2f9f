/** Stores unfinished uploads in IndexedDB, so that a new page can resume them. The entries name the files but can't open them. */
import { parseUploadState, type UploadState } from '@blindkeep/client/owner'
import { parseAlbumId } from '@blindkeep/protocol/ids'
import type { DBSchema, IDBPDatabase } from 'idb'
import { withDatabase } from '../../common/withDatabase.ts'
import type { StoredUpload } from './uploadItem.ts'

const DATABASE = 'blindkeep-uploads'
const VERSION = 1

interface Uploads extends DBSchema {
  /** The key is the asset's id. */
  readonly uploads: { key: string; value: { readonly name: string; readonly size: number; readonly state: unknown } }
}

export async function storeUpload({ name, size, state }: StoredUpload): Promise<void> {
  await withUploads((database) => database.put('uploads', { name, size, state }, keyOf(state)))
}

export async function deleteUpload(state: UploadState): Promise<void> {
  await withUploads((database) => database.delete('uploads', keyOf(state)))
}

interface AccountAt {
  readonly accountId: string
  readonly baseUrl: string
}

/** Deletes all uploads of an account, so that after a sign-out no file names stay in the browser. */
export async function deleteUploads(of: AccountAt): Promise<void> {
  for (const { state } of await storedUploads(of)) await deleteUpload(state)
}

/** Deletes the uploads of other accounts, whose sessions ended without a sign-out: the next owner must not see their file names. */
export async function deleteUploadsOfOthers({ accountId, baseUrl }: AccountAt): Promise<void> {
  for (const { state } of await uploadsAt(baseUrl)) if (accountOf(state) !== accountId) await deleteUpload(state)
}

export async function storedUploads({ accountId, baseUrl }: AccountAt): Promise<readonly StoredUpload[]> {
  return (await uploadsAt(baseUrl)).filter(({ state }) => accountOf(state) === accountId)
}

/** Reads the uploads of all accounts. Deletes the unreadable ones, which an older page has written. */
async function uploadsAt(baseUrl: string): Promise<readonly StoredUpload[]> {
  return withUploads(async (database) => {
    const stored: StoredUpload[] = []
    for (const key of await database.getAllKeys('uploads')) {
      const value = await database.get('uploads', key)
      const state = value && readState(value.state)
      const albumId = parseAlbumId(state?.envelope.album_id ?? '')
      if (value === undefined || state === undefined || albumId === undefined) await database.delete('uploads', key)
      else if (state.baseUrl === baseUrl) stored.push({ albumId, name: value.name, size: value.size, state })
    }
    return stored
  })
}

function readState(json: unknown): UploadState | undefined {
  try {
    return parseUploadState(json)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const accountOf = ({ envelope }: UploadState) => envelope.created_by_user

const keyOf = ({ envelope }: UploadState) => envelope.file_id

function withUploads<Result>(use: (database: IDBPDatabase<Uploads>) => Promise<Result>): Promise<Result> {
  return withDatabase({ name: DATABASE, version: VERSION, create: (fresh) => fresh.createObjectStore('uploads') }, use)
}
