/**
 * The owner's own files on their way into albums: some at once, the rest in line. It knows nothing of keys or of the browser; what it needs of them is
 * passed in.
 */
import type { UploadState } from '@blindkeep/client/owner'
import type { AlbumId, AssetId } from '@blindkeep/protocol/ids'
import { createUploadEntries, type Entry } from './uploadEntries.ts'
import { createUploadSender } from './uploadSender.ts'

export type UploadPhase =
  | 'waiting'
  | 'preparing'
  | 'sending'
  | 'finishing'
  | 'paused'
  | 'failed'
  /** Begun before the page was loaded: the browser does not let a page keep a file, so it has to be chosen again. */
  | 'file_missing'
  | 'done'

export interface UploadItem {
  readonly id: string
  /** What it becomes; undefined until it is sealed. */
  readonly assetId: AssetId | undefined
  readonly albumId: AlbumId
  readonly name: string
  /** Bytes of the file. */
  readonly size: number
  readonly phase: UploadPhase
  /** Between 0 and 1, of the present phase. */
  readonly share: number
  /** Whether the line is bad, and it will be tried again by itself. */
  readonly isWaitingForLine: boolean
  /** Of `failed`, and of a file that is another than was begun. */
  readonly error: unknown
}

/** Of a browser's `File`. */
export interface ChosenFile {
  readonly name: string
  readonly size: number
  readonly lastModified: number
}

export interface KeptUpload {
  readonly albumId: AlbumId
  readonly name: string
  readonly size: number
  readonly state: UploadState
}

export interface UploadStep {
  readonly phase: 'preparing' | 'sending' | 'finishing' | 'complete'
  readonly bytes: number
  readonly of: number
  readonly waitingMs?: number
}

export interface UploadJob<File> {
  readonly file: File
  readonly albumId: AlbumId
  /** Of an upload that was begun before. */
  readonly state: UploadState | undefined
  readonly signal: AbortSignal
  readonly onState: (state: UploadState) => Promise<void>
  readonly onStep: (step: UploadStep) => void
}

export interface UploadPorts<File> {
  /** Sends one file to its end. Rejects with the signal's reason when it is paused. */
  send(job: UploadJob<File>): Promise<void>
  /** Ends what the server holds of an upload. */
  cancel(state: UploadState): Promise<void>
  /** Keeps what a fresh page needs to go on. */
  keep(upload: KeptUpload): Promise<void>
  forget(state: UploadState): Promise<void>
}

/** The file that was chosen to go on with is not the one that was begun. */
export class OtherFile extends Error {
  override readonly name = 'OtherFile'
}

export interface UploadQueue<File> {
  items(): readonly UploadItem[]
  /** Calls back whenever `items` gives something else. */
  subscribe(listener: () => void): () => void
  add(files: readonly File[], albumId: AlbumId): void
  /** What was begun before this page was loaded. */
  restore(kept: readonly KeptUpload[]): void
  pause(id: string): void
  /** Goes on with what was paused or has failed. */
  resume(id: string): void
  /** The file to go on with. */
  giveFile(id: string, file: File): void
  cancel(id: string): void
  /** Takes what is done out of the list. */
  clearDone(): void
  /** Stops everything and lets go of it, here alone: what is kept stays kept, and nothing more is. */
  end(): void
}

const ACTIVE: ReadonlySet<UploadPhase> = new Set(['waiting', 'preparing', 'sending', 'finishing'])

/** Whether it would stop when the page is left. */
export function isActive({ phase }: Pick<UploadItem, 'phase'>): boolean {
  return ACTIVE.has(phase)
}

export function createUploadQueue<File extends ChosenFile>(ports: UploadPorts<File>): UploadQueue<File> {
  const entries = createUploadEntries<File>()
  const { sendMore, stop, end } = createUploadSender(ports, entries)

  function wait(entry: Entry<File>): void {
    entries.change(entry, { phase: 'waiting', error: undefined })
    sendMore()
  }

  return {
    items: entries.items,
    subscribe: entries.subscribe,

    add(files, albumId) {
      for (const file of files)
        entries.insert({ albumId, name: file.name, size: file.size, phase: 'waiting' }, { file })
      entries.tell()
      sendMore()
    },

    restore(kept) {
      for (const { state, ...facts } of kept) entries.insert({ ...facts, phase: 'file_missing' }, { state })
      entries.tell()
    },

    pause(id) {
      const entry = entries.get(id)
      if (entry === undefined || !isActive(entry.item)) return
      stop(entry)
      entries.change(entry, { phase: 'paused', isWaitingForLine: false })
    },

    resume(id) {
      const entry = entries.get(id)
      if (entry !== undefined && ['paused', 'failed'].includes(entry.item.phase)) wait(entry)
    },

    giveFile(id, file) {
      const entry = entries.get(id)
      if (entry?.item.phase !== 'file_missing') return
      // What differs inside is found when it is sealed again; this spares the wait.
      if (file.size !== entry.item.size) return entries.change(entry, { error: new OtherFile() })
      entry.file = file
      wait(entry)
    },

    cancel(id) {
      const entry = entries.get(id)
      if (entry === undefined) return
      const isDone = entry.item.phase === 'done'
      entries.delete(id)
      stop(entry)
      // Only then is it known which sessions there are to end.
      if (!isDone) void entry.run.then(() => end(entry))
      entries.tell()
      sendMore()
    },

    clearDone() {
      for (const { id, phase } of entries.items()) if (phase === 'done') entries.delete(id)
      entries.tell()
    },

    end() {
      const left = entries.all()
      for (const { item } of left) entries.delete(item.id)
      left.forEach(stop)
      entries.tell()
    },
  }
}
