/** Each page holds a lock: its stored uploads are in its queue. When it leaves, the next page takes them over. */
import { holdPage, whenPageLeft } from '../ground/pageLock.ts'
import { type AccountAt, type FoundUpload, storedUploads, storeUploads, uploadsWritten } from './uploadStore.ts'

interface Page {
  readonly pageId: string
  /** Aborts when the owner leaves this page. */
  readonly left: AbortSignal
}

const lockOf = (pageId: string) => `blindkeep.uploads.${pageId}`

/** Resolves when this page has its lock, which it holds until the owner leaves it or it closes. */
export function holdUploads({ pageId, left }: Page): Promise<void> {
  return holdPage(lockOf(pageId), left, uploadsWritten)
}

/** Calls back with the uploads of pages that left, now and later. They then belong to this page. */
export async function takeOverUploads(
  of: AccountAt,
  { pageId, left }: Page,
  onFound: (uploads: readonly FoundUpload[]) => void,
): Promise<void> {
  const others = new Set((await storedUploads(of)).map((upload) => upload.pageId))
  others.delete(pageId)
  for (const other of others)
    whenPageLeft(lockOf(other), left, async () => {
      const found = (await storedUploads(of)).filter((upload) => upload.pageId === other)
      await storeUploads(found, { ...of, pageId })
      onFound(found.toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true })))
    })
}
