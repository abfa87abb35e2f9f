/** Uploads into albums, a few at once while others wait. Keys and browser are behind `UploadPorts`. */
import type { AlbumId } from '@blindkeep/protocol/ids'
import { createUploadChoice, type UploadChoice } from './uploadChoice.ts'
import { createUploadEntries, type Entry } from './uploadEntries.ts'
import { type ChosenFile, isActive, type StoredUpload, type UploadItem, type UploadPorts } from './uploadItem.ts'
import { discard, remember } from './uploadRecords.ts'
import { createUploadSender } from './uploadSender.ts'

export interface UploadQueue<File> extends Pick<UploadChoice<File>, 'giveFile' | 'giveFiles'> {
  items(): readonly UploadItem[]
  /** Calls back whenever `items` has changed. */
  subscribe(listener: () => void): () => void
  /** A file that a restored upload of the album lacks continues it. */
  add(files: readonly File[], albumId: AlbumId): void
  /** Adds uploads of pages that have left, unless they are here. */
  restore(stored: readonly StoredUpload[]): void
  pause(id: string): void
  /** Continues a paused or failed upload. */
  resume(id: string): void
  cancel(id: string): void
  /** Uploads that wait for their next try go on at once. */
  wake(): void
  /** Removes the finished uploads from the list. */
  clearDone(): void
  /** Stops and removes all uploads in this tab. Stored uploads stay stored; nothing more is stored. */
  end(): void
}

export function createUploadQueue<File extends ChosenFile>(ports: UploadPorts<File>): UploadQueue<File> {
  const entries = createUploadEntries<File>()
  const { sendMore, stop } = createUploadSender(ports, entries)

  function requeue(entry: Entry<File>): void {
    entries.change(entry, { phase: 'waiting', error: undefined })
    sendMore()
  }

  const choice = createUploadChoice(entries, requeue)

  async function abandon(entry: Entry<File>): Promise<void> {
    const { file } = entry
    await Promise.all([discard(ports, entry, ports.delete), file !== undefined && ports.release(file)])
  }

  return {
    items: entries.items,
    subscribe: entries.subscribe,

    add(files, albumId) {
      const insert = (file: File) =>
        entries.insert({ id: ports.newId(), albumId, ...factsOf(file), phase: 'waiting' }, { file })
      const added = choice.giveAdded(files, albumId).map(insert)
      entries.notify()
      void remember(ports, added)
      sendMore()
    },

    restore(stored) {
      for (const { id, albumId, state, ...file } of stored.filter(({ id }) => entries.get(id) === undefined))
        entries.insert({ id, albumId, ...factsOf(file), phase: 'file_missing' }, { state })
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

    giveFile: choice.giveFile,
    giveFiles: choice.giveFiles,

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

    wake() {
      for (const { resting } of entries.all()) resting?.abort()
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

const factsOf = ({ name, size, lastModified }: Pick<UploadItem, 'name' | 'size' | 'lastModified'>) => ({
  ...{ name, size, lastModified },
})
