/** Leads chosen files to uploads that lack them, because they began before the page was loaded. */
import type { AlbumId } from '@blindkeep/protocol/ids'
import type { Entry, UploadEntries } from './uploadEntries.ts'
import { type ChosenFile, OtherFile, type UploadItem } from './uploadItem.ts'

export interface UploadChoice<File> {
  /** Continues a restored upload with its file. */
  giveFile(id: string, file: File): void
  /** Continues the album's restored uploads with their files. A file that none lacks is taken for this one's. */
  giveFiles(id: string, files: readonly File[]): void
  /** Answers with the files that no upload of the album lacks. The others now continue theirs. */
  giveAdded(files: readonly File[], albumId: AlbumId): readonly File[]
}

export function createUploadChoice<File extends ChosenFile>(
  entries: UploadEntries<File>,
  requeue: (entry: Entry<File>) => void,
): UploadChoice<File> {
  function give(entry: Entry<File>, file: File): void {
    if (entry.item.phase !== 'file_missing') return
    if (!mayBeFileOf(entry, file)) {
      entries.change(entry, { error: new OtherFile() })
      return
    }
    entry.file = file
    entry.isUncompared = entry.state !== undefined
    requeue(entry)
  }

  function giveAll(files: readonly File[], albumId: AlbumId, isLike: (item: UploadItem, file: File) => boolean) {
    return files.filter((file) => {
      const isLacking = (item: UploadItem) => item.phase === 'file_missing' && item.albumId === albumId
      const lacking = entries.all().find(({ item }) => isLacking(item) && isLike(item, file))
      if (lacking !== undefined) give(lacking, file)
      return lacking === undefined
    })
  }

  return {
    giveFile(id, file) {
      const entry = entries.get(id)
      if (entry !== undefined) give(entry, file)
    },
    giveFiles(id, files) {
      const entry = entries.get(id)
      if (entry === undefined) return
      const [other] = giveAll(files, entry.item.albumId, isNamedLike)
      if (other !== undefined) give(entry, other)
    },
    giveAdded: (files, albumId) => giveAll(files, albumId, isNamedAndTimedLike),
  }
}

/** Another size is known at once. Begun uploads compare content before sending; others have only a name. */
function mayBeFileOf<File extends ChosenFile>({ item, state }: Entry<File>, file: File): boolean {
  return file.size === item.size && (state !== undefined || file.name === item.name)
}

function isNamedLike(item: UploadItem, file: ChosenFile): boolean {
  return item.name === file.name && item.size === file.size
}

/** A time that an older page did not store may be any. */
export function isNamedAndTimedLike(item: UploadItem, file: ChosenFile): boolean {
  return isNamedLike(item, file) && (item.lastModified ?? file.lastModified) === file.lastModified
}
