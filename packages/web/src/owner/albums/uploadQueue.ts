/**
 * The owner's own files on their way into albums: some at once, the rest in line. It knows nothing of keys or of the browser; what it needs of them is
 * passed in.
 */
import { SendError } from '@blindkeep/client/sendStop'
import type { UploadState } from '@blindkeep/client/uploadState'
import { type AlbumId, type AssetId, parseAssetId } from '@blindkeep/protocol/ids'

/** More would share the same line, and each has to be hashed first. */
const AT_ONCE = 2

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

interface Entry<File> {
  item: UploadItem
  file: File | undefined
  state: UploadState | undefined
  running: AbortController | undefined
  /** Resolves when nothing of it is under way any more. */
  run: Promise<void>
}

const ACTIVE: ReadonlySet<UploadPhase> = new Set(['waiting', 'preparing', 'sending', 'finishing'])

/** Whether it would stop when the page is left. */
export function isActive({ phase }: Pick<UploadItem, 'phase'>): boolean {
  return ACTIVE.has(phase)
}

export function createUploadQueue<File extends ChosenFile>(ports: UploadPorts<File>): UploadQueue<File> {
  const entries = new Map<string, Entry<File>>()
  const listeners = new Set<() => void>()
  let snapshot: readonly UploadItem[] = []
  let lastId = 0

  function tell(): void {
    snapshot = [...entries.values()].map(({ item }) => item)
    for (const listener of listeners) listener()
  }

  function change(entry: Entry<File>, changes: Partial<UploadItem>): void {
    entry.item = { ...entry.item, ...changes }
    if (entries.get(entry.item.id) === entry) tell()
  }

  function insert(facts: Pick<UploadItem, 'albumId' | 'name' | 'size' | 'phase'>, parts: Partial<Entry<File>>): void {
    lastId++
    const id = `upload-${lastId}`
    const item = { id, assetId: assetIdOf(parts.state), share: 0, isWaitingForLine: false, error: undefined, ...facts }
    entries.set(id, { item, file: undefined, state: undefined, running: undefined, run: Promise.resolve(), ...parts })
  }

  function sendMore(): void {
    for (const entry of entries.values()) {
      const underWay = [...entries.values()].filter(({ running }) => running !== undefined).length
      if (underWay >= AT_ONCE) return
      if (entry.item.phase === 'waiting' && entry.running === undefined) entry.run = send(entry)
    }
  }

  async function send(entry: Entry<File>): Promise<void> {
    const { file, item } = entry
    if (file === undefined) throw new Error('what waits has its file')
    const controller = new AbortController()
    entry.running = controller
    change(entry, { phase: entry.state === undefined ? 'preparing' : 'sending', share: 0, error: undefined })
    const { signal } = controller
    try {
      const { albumId } = item
      await ports.send({
        file,
        albumId,
        state: entry.state,
        signal,
        onState: async (state) => {
          entry.state = state
          entry.item = { ...entry.item, assetId: assetIdOf(state) }
          if (!signal.aborted) await ports.keep({ albumId, name: item.name, size: item.size, state })
        },
        onStep: (step) => signal.aborted || change(entry, stepOf(step)),
      })
      // Somebody may have cancelled in the very moment in which the last byte was taken: then it was too late, and it is there.
      change(entry, { phase: 'done', share: 1, isWaitingForLine: false })
      if (entry.state !== undefined) await ports.forget(entry.state)
    } catch (error) {
      if (!signal.aborted) await fail(entry, error)
    } finally {
      entry.running = undefined
      sendMore()
    }
  }

  async function fail(entry: Entry<File>, error: unknown): Promise<void> {
    change(entry, { phase: 'failed', error, isWaitingForLine: false })
    // Its state is good for nothing any more: the file has to be sealed under another key.
    if (error instanceof SendError && error.remedy === 'prepare_anew') await end(entry)
  }

  /** Forgets what was begun, here and on the server. That it may not be reached is no matter: what nobody goes on with runs out there. */
  async function end(entry: Entry<File>): Promise<void> {
    const { state } = entry
    entry.state = undefined
    if (state === undefined) return
    await Promise.allSettled([ports.forget(state), ports.cancel(state)])
  }

  function stop(entry: Entry<File>): void {
    entry.running?.abort(new DOMException('paused', 'AbortError'))
  }

  return {
    items: () => snapshot,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    add(files, albumId) {
      for (const file of files) insert({ albumId, name: file.name, size: file.size, phase: 'waiting' }, { file })
      tell()
      sendMore()
    },

    restore(kept) {
      for (const { state, ...facts } of kept) insert({ ...facts, phase: 'file_missing' }, { state })
      tell()
    },

    pause(id) {
      const entry = entries.get(id)
      if (entry === undefined || !isActive(entry.item)) return
      stop(entry)
      change(entry, { phase: 'paused', isWaitingForLine: false })
    },

    resume(id) {
      const entry = entries.get(id)
      if (entry === undefined || !['paused', 'failed'].includes(entry.item.phase)) return
      change(entry, { phase: 'waiting', error: undefined })
      sendMore()
    },

    giveFile(id, file) {
      const entry = entries.get(id)
      if (entry?.item.phase !== 'file_missing') return
      // What differs inside is found when it is sealed again; this spares the wait.
      if (file.size !== entry.item.size) return change(entry, { error: new OtherFile() })
      entry.file = file
      change(entry, { phase: 'waiting', error: undefined })
      sendMore()
    },

    cancel(id) {
      const entry = entries.get(id)
      if (entry === undefined) return
      const isDone = entry.item.phase === 'done'
      entries.delete(id)
      stop(entry)
      // Only then is it known which sessions there are to end.
      if (!isDone) void entry.run.then(() => end(entry))
      tell()
      sendMore()
    },

    clearDone() {
      for (const [id, { item }] of entries) if (item.phase === 'done') entries.delete(id)
      tell()
    },

    end() {
      const left = [...entries.values()]
      entries.clear()
      left.forEach(stop)
      tell()
    },
  }
}

function assetIdOf(state: UploadState | undefined): AssetId | undefined {
  return parseAssetId(state?.envelope.file_id ?? '')
}

function stepOf({ phase, bytes, of, waitingMs }: UploadStep): Partial<UploadItem> {
  return {
    phase: phase === 'complete' ? 'finishing' : phase,
    share: of === 0 ? 0 : bytes / of,
    isWaitingForLine: waitingMs !== undefined,
  }
}
