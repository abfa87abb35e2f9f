/** What a fresh page needs to go on with an upload, in IndexedDB, until it is done. It names the file and opens nothing. */
import { parseUploadState, type UploadState } from '@blindkeep/client/owner'
import { parseAlbumId } from '@blindkeep/protocol/ids'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { KeptUpload } from './uploadQueue.ts'

const DATABASE = 'blindkeep-uploads'
const VERSION = 1

interface Uploads extends DBSchema {
  /** By the id of the asset. */
  readonly uploads: { key: string; value: { readonly name: string; readonly size: number; readonly state: unknown } }
}

export async function keepUpload({ name, size, state }: KeptUpload): Promise<void> {
  await withUploads((database) => database.put('uploads', { name, size, state }, keyOf(state)))
}

export async function forgetUpload(state: UploadState): Promise<void> {
  await withUploads((database) => database.delete('uploads', keyOf(state)))
}

interface AccountAt {
  readonly accountId: string
  readonly baseUrl: string
}

/** All of an account at this server: whoever signs out leaves no names of files behind. */
export async function forgetUploads(of: AccountAt): Promise<void> {
  for (const { state } of await keptUploads(of)) await forgetUpload(state)
}

/**
 * All of the other accounts at this server: their sessions ended without a sign-out, and whoever comes after them in this browser is not to find the names
 * of their files.
 */
export async function forgetUploadsOfOthers({ accountId, baseUrl }: AccountAt): Promise<void> {
  for (const { state } of await uploadsAt(baseUrl)) if (accountOf(state) !== accountId) await forgetUpload(state)
}

/** Those of an account at this server. */
export async function keptUploads({ accountId, baseUrl }: AccountAt): Promise<readonly KeptUpload[]> {
  return (await uploadsAt(baseUrl)).filter(({ state }) => accountOf(state) === accountId)
}

/** Of whichever account. What cannot be read any more is removed: an older page has left it. */
async function uploadsAt(baseUrl: string): Promise<readonly KeptUpload[]> {
  return withUploads(async (database) => {
    const kept: KeptUpload[] = []
    for (const key of await database.getAllKeys('uploads')) {
      const value = await database.get('uploads', key)
      const state = value && readState(value.state)
      const albumId = parseAlbumId(state?.envelope.album_id ?? '')
      if (value === undefined || state === undefined || albumId === undefined) await database.delete('uploads', key)
      else if (state.baseUrl === baseUrl) kept.push({ albumId, name: value.name, size: value.size, state })
    }
    return kept
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

/** Opened for each use: a connection that stays open would keep a later version of the page from changing the database. */
async function withUploads<Result>(use: (database: IDBPDatabase<Uploads>) => Promise<Result>): Promise<Result> {
  const database = await openDB<Uploads>(DATABASE, VERSION, {
    upgrade: (fresh) => {
      fresh.createObjectStore('uploads')
    },
  })
  try {
    return await use(database)
  } finally {
    database.close()
  }
}
