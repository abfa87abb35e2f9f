/** Uploads the owner's files into albums: a few at once, the others wait. Keys and the browser are behind `UploadPorts`. */
import type { AlbumId } from '@blindkeep/protocol/ids'
import { createUploadEntries, type Entry } from './uploadEntries.ts'
import {
  type ChosenFile,
  isActive,
  OtherFile,
  type StoredUpload,
  type UploadItem,
  type UploadPorts,
} from './uploadItem.ts'
import { createUploadSender } from './uploadSender.ts'

export interface UploadQueue<File> {
  items(): readonly UploadItem[]
  /** Calls back whenever `items` has changed. */
  subscribe(listener: () => void): () => void
  add(files: readonly File[], albumId: AlbumId): void
  /** Adds uploads that were begun before this page was loaded. */
  restore(stored: readonly StoredUpload[]): void
  pause(id: string): void
  /** Continues a paused or failed upload. */
  resume(id: string): void
  /** Continues a restored upload with its file. */
  giveFile(id: string, file: File): void
  cancel(id: string): void
  /** Removes the finished uploads from the list. */
  clearDone(): void
  /** Stops and removes all uploads in this tab. Stored uploads stay stored; nothing more is stored. */
  end(): void
}

export function createUploadQueue<File extends ChosenFile>(ports: UploadPorts<File>): UploadQueue<File> {
  const entries = createUploadEntries<File>()
  const { sendMore, stop, discard } = createUploadSender(ports, entries)

  function requeue(entry: Entry<File>): void {
    entries.change(entry, { phase: 'waiting', error: undefined })
    sendMore()
  }

  async function abandon(entry: Entry<File>): Promise<void> {
    const { file } = entry
    await Promise.all([discard(entry, ports.delete), file !== undefined && ports.release(file)])
  }

  return {
    items: entries.items,
    subscribe: entries.subscribe,

    add(files, albumId) {
      for (const file of files)
        entries.insert({ albumId, name: file.name, size: file.size, phase: 'waiting' }, { file })
      entries.notify()
      sendMore()
    },

    restore(stored) {
      for (const { state, ...facts } of stored) entries.insert({ ...facts, phase: 'file_missing' }, { state })
      entries.notify()
    },

    pause(id) {
      const entry = entries.get(id)
      if (entry === undefined || !isActive(entry.item)) return
      stop(entry)
      entries.change(entry, { phase: 'paused', isRetrying: false })
    },

    resume(id) {
      const entry = entries.get(id)
      if (entry !== undefined && ['paused', 'failed'].includes(entry.item.phase)) requeue(entry)
    },

    giveFile(id, file) {
      const entry = entries.get(id)
      if (entry?.item.phase !== 'file_missing') return
      // A different size is known at once; the content is compared before anything is sent.
      if (file.size !== entry.item.size) return entries.change(entry, { error: new OtherFile() })
      entry.file = file
      entry.isUncompared = true
      requeue(entry)
    },

    cancel(id) {
      const entry = entries.get(id)
      if (entry === undefined) return
      const isDone = entry.item.phase === 'done'
      entries.delete(id)
      stop(entry)
      // Before the run has stopped, the queue does not know all that the server has of it.
      if (!isDone) void entry.run.then(() => abandon(entry))
      entries.notify()
      sendMore()
    },

    clearDone() {
      for (const { id, phase } of entries.items()) if (phase === 'done') entries.delete(id)
      entries.notify()
    },

    end() {
      const all = entries.all()
      for (const { item } of all) entries.delete(item.id)
      all.forEach(stop)
      entries.notify()
    },
  }
}
