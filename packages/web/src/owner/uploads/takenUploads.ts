/** Leads files from other apps through the upload queue, and deletes them here once the server has them. */
import type { UploadState } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { deleteTaken, nameAssetOf, takenFile, takenFiles } from '../../take/takenFiles.ts'
import { assetIdOf } from './uploadEntries.ts'
import type { UploadQueue } from './uploadQueue.ts'

export interface TakenUploads {
  readonly queue: UploadQueue<File>
  /** Puts the stored upload of this asset into the queue, if there is one. */
  readonly restore: (assetId: AssetId) => Promise<void>
  /** Aborts when the owner leaves this tab. */
  readonly signal: AbortSignal
}

interface TakenInTab {
  readonly id: string
  /** Releases the lock of the file. */
  readonly release: () => void
}

const inThisTab = new WeakMap<File, TakenInTab>()

export const isTaken = (file: File) => inThisTab.has(file)

/** Continues what an earlier page has begun, or another tab that closes. */
export async function resumeTaken(uploads: TakenUploads, of: Parameters<typeof takenFiles>[0]): Promise<void> {
  for (const { id, albumId } of await takenFiles(of))
    if (albumId !== undefined) void uploadTaken(uploads, id).catch(() => undefined)
}

/** Its album must be chosen. Resolves once it is in the queue; waits while another tab works at it. */
export async function uploadTaken({ queue, restore, signal }: TakenUploads, id: string): Promise<void> {
  const release = await lock(id, signal)
  const taken = await takenFile(id)
  if (taken?.albumId === undefined || signal.aborted) return release()
  signal.addEventListener('abort', release)
  inThisTab.set(taken.file, { id, release })
  const { file, albumId, assetId } = taken
  const begun = () => queue.items().find((item) => assetId !== undefined && item.assetId === assetId)
  // The tab that has begun it may have closed after this one was loaded.
  if (assetId !== undefined && begun() === undefined) await restore(assetId)
  const { id: itemId } = begun() ?? {}
  if (itemId === undefined) queue.add([file], albumId)
  else queue.giveFile(itemId, file)
}

/** A tab that closes releases its locks. */
function lock(id: string, signal: AbortSignal): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const hold = () => new Promise<void>((release) => resolve(release))
    navigator.locks.request(`blindkeep.taken.${id}`, { signal }, hold).catch(reject)
  })
}

export async function noteAsset(file: File, state: UploadState): Promise<void> {
  const [taken, assetId] = [inThisTab.get(file), assetIdOf(state)]
  if (taken !== undefined && assetId !== undefined) await nameAssetOf(taken.id, assetId)
}

/** The server has the file, or the owner does not want it there any more. */
export async function releaseTaken(file: File): Promise<void> {
  const taken = inThisTab.get(file)
  if (taken === undefined) return
  await deleteTaken([taken.id])
  taken.release()
}
