/**
 * Stores the files that the owner has begun to keep in IndexedDB until they are signed: after the page was closed in
 * between, a file has left the inbox and has no signature. A row has what the inbox showed of the file, as the next
 * page signs that and nothing else. It cannot open the file.
 */
import type { DescribedDrop } from '@blindkeep/client/owner'
import type { AlbumId, AssetId, DropId } from '@blindkeep/protocol/ids'
import type { DBSchema, IDBPDatabase } from 'idb'
import { withDatabase } from '../../common/withDatabase.ts'
import type { AccountAt } from '../albums/uploadStore.ts'

export interface BegunKeep extends AccountAt {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  readonly drop: DescribedDrop
  /** Milliseconds, by this device's clock. */
  readonly begunAt: number
}

interface Keeps extends DBSchema {
  readonly keeps: { key: AssetId; value: BegunKeep }
}

/** Resolves also in a browser that stores nothing: then the album offers to finish the file. */
export async function storeKeep(keep: BegunKeep): Promise<void> {
  await withKeeps((database) => database.put('keeps', keep, keep.assetId)).catch(() => undefined)
}

export async function deleteKeep(assetId: AssetId): Promise<void> {
  await withKeeps((database) => database.delete('keeps', assetId)).catch(() => undefined)
}

export async function storedKeeps({ accountId, baseUrl }: AccountAt): Promise<readonly BegunKeep[]> {
  const all = await withKeeps((database) => database.getAll('keeps')).catch(() => [])
  return all.filter((keep) => keep.accountId === accountId && keep.baseUrl === baseUrl)
}

/** Of a drop that its owner discards: a server that says later that it was kept gets no signature. */
export async function deleteKeepsOfDrop(of: AccountAt, dropId: DropId): Promise<void> {
  for (const { assetId, drop } of await storedKeeps(of)) if (drop.dropId === dropId) await deleteKeep(assetId)
}

/** After a sign-out no file names stay in the browser. */
export async function deleteKeeps(of: AccountAt): Promise<void> {
  for (const { assetId } of await storedKeeps(of)) await deleteKeep(assetId)
}

/** Of accounts whose sessions ended without a sign-out: the next owner must not see their file names. */
export async function deleteKeepsOfOthers({ accountId, baseUrl }: AccountAt): Promise<void> {
  const all = await withKeeps((database) => database.getAll('keeps')).catch(() => [])
  for (const keep of all) if (keep.baseUrl === baseUrl && keep.accountId !== accountId) await deleteKeep(keep.assetId)
}

function withKeeps<Result>(use: (database: IDBPDatabase<Keeps>) => Promise<Result>): Promise<Result> {
  return withDatabase(
    { name: 'blindkeep-keeps', version: 1, create: (fresh) => void fresh.createObjectStore('keeps') },
    use,
  )
}
