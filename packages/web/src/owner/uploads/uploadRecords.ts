/** What the browser stores of the entries of the upload queue, and when that ends. */
import type { UploadState } from '@blindkeep/client/owner'
import type { Entry } from './uploadEntries.ts'
import type { UploadPorts } from './uploadItem.ts'

/** Stores what a new page needs to ask for these files and to resume their uploads. */
export async function remember<File>(
  { store, isKept }: Pick<UploadPorts<File>, 'store' | 'isKept'>,
  entries: readonly Entry<File>[],
): Promise<void> {
  const isNeeded = ({ file, state }: Entry<File>) => state !== undefined || file === undefined || !isKept(file)
  await store(entries.filter(isNeeded).map(({ item, state }) => ({ ...item, state })))
}

/** Forgets the upload here and does `end` on the server, which otherwise ends it later by itself. */
export async function discard<File>(
  { forget }: Pick<UploadPorts<File>, 'forget'>,
  entry: Entry<File>,
  end: (state: UploadState) => Promise<void>,
): Promise<void> {
  const { state } = entry
  entry.state = undefined
  await Promise.allSettled([forget(entry.item.id), state !== undefined && end(state)])
}
