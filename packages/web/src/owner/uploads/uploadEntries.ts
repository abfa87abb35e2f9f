/** The entries of the upload queue, and the listeners that are notified of changes. */
import type { UploadState } from '@blindkeep/client/owner'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import type { UploadItem } from './uploadItem.ts'

export interface Entry<File> {
  item: UploadItem
  file: File | undefined
  state: UploadState | undefined
  /** The file was chosen again and not yet compared with the state: it may be another one. */
  isUncompared: boolean
  running: AbortController | undefined
  /** Set while the entry waits before its next try, although it is its turn. Aborting it ends the wait. */
  resting: AbortController | undefined
  /** Resolves when the entry's last run has ended. */
  run: Promise<void>
}

type NewItem = Pick<UploadItem, 'id' | 'albumId' | 'name' | 'size' | 'lastModified' | 'phase'>

export interface UploadEntries<File> {
  items(): readonly UploadItem[]
  subscribe(listener: () => void): () => void
  get(id: string): Entry<File> | undefined
  all(): readonly Entry<File>[]
  /** Does not notify, like `delete`: call `notify` once after all changes. */
  insert(facts: NewItem, parts: Partial<Entry<File>>): Entry<File>
  delete(id: string): void
  notify(): void
  /** Notifies while the entry is in the queue. The asset is that of the state. */
  change(entry: Entry<File>, changes: Partial<Omit<UploadItem, 'assetId'>>): void
}

export function createUploadEntries<File>(): UploadEntries<File> {
  const entries = new Map<string, Entry<File>>()
  const listeners = new Set<() => void>()
  let snapshot: readonly UploadItem[] = []

  function notify(): void {
    snapshot = [...entries.values()].map(({ item }) => item)
    for (const listener of listeners) listener()
  }

  return {
    items: () => snapshot,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get: (id) => entries.get(id),
    all: () => [...entries.values()],
    insert(facts, parts) {
      const assetId = assetIdOf(parts.state)
      const item = { assetId, share: 0, isRetrying: false, error: undefined, ...facts }
      const entry: Entry<File> = {
        item,
        file: undefined,
        state: undefined,
        isUncompared: false,
        running: undefined,
        resting: undefined,
        run: Promise.resolve(),
        ...parts,
      }
      entries.set(facts.id, entry)
      return entry
    },
    delete: (id) => void entries.delete(id),
    notify,
    change(entry, changes) {
      entry.item = { ...entry.item, ...changes, assetId: assetIdOf(entry.state) }
      if (entries.get(entry.item.id) === entry) notify()
    },
  }
}

export function assetIdOf(state: UploadState | undefined): AssetId | undefined {
  return parseAssetId(state?.envelope.file_id ?? '')
}
