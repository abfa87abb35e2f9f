/**
 * Stores the uploads that the owner has asked for in IndexedDB until they are done, so that a new page can ask for
 * their files and resume them. The entries name the files but have none of their content, and can't open them.
 */
import { parseUploadState, type UploadState } from '@blindkeep/client/owner'
import { parseAlbumId } from '@blindkeep/protocol/ids'
import type { DBSchema, IDBPDatabase } from 'idb'
import { withDatabase } from '../../common/storage/withDatabase.ts'
import type { StoredUpload } from './uploadItem.ts'

const DATABASE = 'blindkeep-uploads'
const VERSION = 1

interface Row {
  readonly name: string
  readonly size: number
  /** The rest but the state is missing in the entries of older pages, whose keys are the ids of assets. */
  readonly lastModified?: number | undefined
  readonly albumId?: string
  readonly accountId?: string
  readonly baseUrl?: string
  readonly pageId?: string
  /** Undefined until the file is sealed. */
  readonly state?: unknown
}

interface Uploads extends DBSchema {
  readonly uploads: { key: string; value: Row }
}

export interface AccountAt {
  readonly accountId: string
  readonly baseUrl: string
}

/** `pageId`: the page that has them in its queue. */
export interface UploadsOfPage extends AccountAt {
  readonly pageId: string
}

export interface FoundUpload extends StoredUpload, UploadsOfPage {}

export async function storeUploads(uploads: readonly StoredUpload[], of: UploadsOfPage): Promise<void> {
  const { accountId, baseUrl, pageId } = of
  await inOrder((database) =>
    Promise.all(
      uploads.map(({ id, albumId, name, size, lastModified, state }) =>
        database.put('uploads', { albumId, name, size, lastModified, state, accountId, baseUrl, pageId }, id),
      ),
    ),
  )
}

export async function deleteUpload(id: string): Promise<void> {
  await inOrder((database) => database.delete('uploads', id))
}

/** Deletes all uploads of an account, so that after a sign-out no file names stay in the browser. */
export async function deleteUploads(of: AccountAt): Promise<void> {
  await uploadsWritten()
  for (const { id } of await storedUploads(of)) await deleteUpload(id)
}

/** Deletes other accounts' uploads after sessions without a sign-out: the next owner must not see names. */
export async function deleteUploadsOfOthers({ accountId, baseUrl }: AccountAt): Promise<void> {
  for (const upload of await uploadsAt(baseUrl)) if (upload.accountId !== accountId) await deleteUpload(upload.id)
}

export async function storedUploads({ accountId, baseUrl }: AccountAt): Promise<readonly FoundUpload[]> {
  return (await uploadsAt(baseUrl)).filter((upload) => upload.accountId === accountId)
}

/** Reads the uploads of all accounts. Deletes the unreadable ones. */
async function uploadsAt(baseUrl: string): Promise<readonly FoundUpload[]> {
  return withUploads(async (database) => {
    const stored: FoundUpload[] = []
    for (const key of await database.getAllKeys('uploads')) {
      const row = await database.get('uploads', key)
      const upload = row && readRow(key, row)
      if (upload === undefined) await database.delete('uploads', key)
      else if (upload.baseUrl === baseUrl) stored.push(upload)
    }
    return stored
  })
}

function readRow(id: string, { name, size, lastModified, pageId = '', ...row }: Row): FoundUpload | undefined {
  const state = row.state === undefined ? undefined : readState(row.state)
  if (row.state !== undefined && state === undefined) return undefined
  const { envelope } = state ?? {}
  const albumId = parseAlbumId(envelope?.album_id ?? row.albumId ?? '')
  const accountId = envelope?.created_by_user ?? row.accountId
  const baseUrl = state?.baseUrl ?? row.baseUrl
  if (albumId === undefined || accountId === undefined || baseUrl === undefined) return undefined
  return { id, albumId, name, size, lastModified, state, accountId, baseUrl, pageId }
}

function readState(json: unknown): UploadState | undefined {
  try {
    return parseUploadState(json)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

let last: Promise<unknown> = Promise.resolve()

/** Resolves when what this page has begun to write is written, or has failed. */
export async function uploadsWritten(): Promise<void> {
  await last
}

/** Writes one after the other, so that what is deleted last stays deleted. */
function inOrder<Result>(write: (database: IDBPDatabase<Uploads>) => Promise<Result>): Promise<Result> {
  const done = last.then(() => withUploads(write))
  last = done.catch(() => undefined)
  return done
}

function withUploads<Result>(use: (database: IDBPDatabase<Uploads>) => Promise<Result>): Promise<Result> {
  return withDatabase({ name: DATABASE, version: VERSION, create: (fresh) => fresh.createObjectStore('uploads') }, use)
}
