/** Each page holds a lock: its stored uploads are in its queue. When it leaves, the next page takes them over. */
import { type AccountAt, type FoundUpload, storedUploads, storeUploads, uploadsWritten } from './uploadStore.ts'

interface Page {
  readonly pageId: string
  /** Aborts when the owner leaves this page. */
  readonly left: AbortSignal
}

const lockOf = (pageId: string) => `blindkeep.uploads.${pageId}`

/** Resolves when this page has its lock, which it holds until the owner leaves it or it closes. */
export function holdPage({ pageId, left }: Page): Promise<void> {
  const leaving = new Promise((resolve) => left.addEventListener('abort', resolve))
  return new Promise((resolve, reject) => {
    const hold = async () => {
      resolve()
      await leaving
      await uploadsWritten()
    }
    navigator.locks.request(lockOf(pageId), hold).catch(reject)
  })
}

/** Calls back with the uploads of pages that left, now and later. They then belong to this page. */
export async function takeOverUploads(
  of: AccountAt,
  { pageId, left }: Page,
  onFound: (uploads: readonly FoundUpload[]) => void,
): Promise<void> {
  const others = new Set((await storedUploads(of)).map((upload) => upload.pageId))
  others.delete(pageId)
  for (const other of others) {
    const take = async () => {
      const found = (await storedUploads(of)).filter((upload) => upload.pageId === other)
      if (left.aborted) return
      await storeUploads(found, { ...of, pageId })
      onFound(found.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })))
    }
    void navigator.locks.request(lockOf(other), { signal: left }, take).catch(() => undefined)
  }
}
