/** Files as one ZIP: unread names are read first, files that cannot be opened are left out. */
import { type FolderTemplate, foldersFor } from '@blindkeep/client/folderTemplate'
import type { Owner } from '@blindkeep/client/owner'
import { type Zip, zipOf } from '@blindkeep/client/zip'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { NothingToZip } from '../ground/nothingToZip.ts'
import { isUnread, type ListedDrop } from './dropList.ts'

const MAX_NAMES_AT_ONCE = 4

interface ZipDrops {
  readonly owner: Pick<Owner, 'describeDrop' | 'openDrop'>
  readonly items: readonly ListedDrop[]
  /** Folders to make in it. */
  readonly template: FolderTemplate | undefined
  readonly signal: AbortSignal
  /** Called when the turn of a file comes, before it is opened. */
  readonly onFile: (item: ListedDrop) => void
}

export interface ZippedDrops extends Zip {
  /** Files that are not in it. */
  readonly left: number
}

/** Rejects with `NothingToZip` if no file can be opened. */
export async function zipDrops({ owner, items, template, signal, onFile }: ZipDrops): Promise<ZippedDrops> {
  const named = await mapConcurrently(items, MAX_NAMES_AT_ONCE, async (item) =>
    isUnread(item) ? await owner.describeDrop(item, { signal }) : item,
  )
  const openable = named.filter((item) => item.file !== undefined)
  if (openable.length === 0) throw new NothingToZip()
  const zip = await zipOf(
    openable.map((item) => ({
      name: item.file?.name,
      into: template && item.file && foldersFor(template, item.file),
      size: item.file?.size ?? 0,
      modifiedAt: item.file?.modifiedAt,
      open: () => {
        onFile(item)
        return owner.openDrop(item, { signal })
      },
    })),
  )
  return { ...zip, left: items.length - openable.length }
}
