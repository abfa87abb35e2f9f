/**
 * Keeps the names of files that are to be sent in the store until each is begun, so that a visit after a reload or a
 * crash can ask for those that were not. A file is begun once its upload is stored.
 */
import { oneAtATime } from '../../../common/work/oneAtATime.ts'
import type { FailureReason, NeverBegun, Unfinished } from '../../ground/messages.ts'
import type { Entry } from '../entries/entries.ts'
import { retryOf } from '../entries/failures.ts'
import { shortened } from '../entries/snapshot.ts'
import type { GuestStore, PlannedFile } from '../store/guestStore.ts'
import type { TabLocks } from '../store/tabLocks.ts'

/** The page shows no more of them; a choice can have ten thousand. */
const MAX_SHOWN = 20

export interface PlannedFiles {
  /** Call it with every change of an entry of this visit. */
  follow(before: Entry | undefined, after: Entry | undefined): void
  /** Reads the store again: other tabs may have changed it. */
  refresh(): Promise<void>
  /** The files of this name of visits that have ended. */
  named(name: string): readonly PlannedFile[]
  /** All of visits that have ended, and the first of them. */
  neverBegun(): NeverBegun & { readonly shown: readonly Unfinished[] }
  /** The guest has chosen the file again, or does not want to send it. */
  remove(id: string): void
  removeAll(): void
}

interface PlannedFilesOptions {
  readonly linkId: string
  readonly visitId: string
  readonly store: GuestStore
  readonly locks: TabLocks
  readonly nowMs: () => number
  readonly onChange: () => void
}

export function createPlannedFiles(options: PlannedFilesOptions): PlannedFiles {
  const { linkId, visitId, store, locks, nowMs, onChange } = options
  let ended = new Map<string, PlannedFile>()
  let byName = new Map<string, PlannedFile[]>()
  const watched = new Set<string>()
  const writes = createWrites(options)

  async function refresh(): Promise<void> {
    const [stored, uploads] = [await store.planned(linkId), await store.uploads(linkId)]
    const begun = new Set(uploads.map(({ id }) => id))
    // Another tab still has the files of its visit; it closes in its own time.
    const open = new Set([visitId])
    for (const id of new Set(stored.map((file) => file.visitId))) if (await locks.isLocked(id)) open.add(id)
    for (const id of open) if (id !== visitId) watch(id)
    const isMissing = (file: PlannedFile) => !open.has(file.visitId) && !begun.has(file.id) && !writes.isGone(file.id)
    ended = new Map()
    byName = new Map()
    for (const file of stored.filter(isMissing)) {
      ended.set(file.id, file)
      byName.set(file.name, [...(byName.get(file.name) ?? []), file])
    }
  }

  function watch(id: string): void {
    if (watched.has(id)) return
    watched.add(id)
    void locks.whenFree(id).then(async () => {
      watched.delete(id)
      await refresh()
      onChange()
    })
  }

  function remove(ids: Iterable<string>): void {
    for (const id of ids) if (ended.delete(id)) writes.remove(id)
    onChange()
  }

  return {
    follow(before, after) {
      const [was, is] = [isPlanned(before), isPlanned(after)]
      // `putUpload` deletes it with the same write.
      if (was && !is && after?.state !== undefined) writes.forget(after.id)
      else if (was && !is && before !== undefined) writes.remove(before.id)
      if (!is || after === undefined || (was && before?.batch === after.batch)) return
      const { id, name, folder, size, lastModified, batch } = after
      writes.put({ id, linkId, visitId, keptAt: nowMs(), name, folder, size, lastModified, batch })
    },
    refresh,
    named: (name) => byName.get(name)?.filter(({ id }) => ended.has(id)) ?? [],
    neverBegun() {
      const files = [...ended.values()]
      const shown = files.slice(0, MAX_SHOWN).map(unfinishedOf)
      return { files: files.length, hasFolders: files.some(({ folder }) => folder !== ''), shown }
    },
    remove: (id) => remove([id]),
    removeAll: () => remove([...ended.keys()]),
  }
}

interface Writes {
  put(file: PlannedFile): void
  remove(id: string): void
  /** The store deletes it by itself. */
  forget(id: string): void
  /** It was removed in this visit. A read of the store that began earlier may still find it. */
  isGone(id: string): boolean
}

/** What changes during a write is written together afterwards: the guest may choose or send thousands at once. */
function createWrites({ visitId, store, locks }: PlannedFilesOptions): Writes {
  const added = new Map<string, PlannedFile>()
  const removed = new Set<string>()
  const gone = new Set<string>()
  /** Held until the tab closes: other tabs do not ask for the files of a visit that still has them. */
  const locking = locks.lock(visitId).catch(() => undefined)

  const write = oneAtATime(async () => {
    await locking
    const change = { put: [...added.values()], remove: [...removed] }
    added.clear()
    removed.clear()
    await store.changePlanned(change)
  })

  function forget(id: string): void {
    added.delete(id)
    gone.add(id)
  }

  return {
    put(file) {
      removed.delete(file.id)
      gone.delete(file.id)
      added.set(file.id, file)
      void write()
    },
    remove(id) {
      forget(id)
      removed.add(id)
      void write()
    },
    forget,
    isGone: (id) => gone.has(id),
  }
}

/** Without room, or on a closed link. The guest should see that it was not sent, and the owner may make room. */
const MISSED: ReadonlySet<FailureReason | undefined> = new Set(['too_many', 'no_room', 'link_closed'])

/**
 * The guest has asked to send it, in this visit or in the one whose place in a go it has, and nothing of it is stored;
 * or the link did not take it. What else is only chosen leaves no name behind.
 */
function isPlanned(entry: Entry | undefined): boolean {
  if (entry?.source === undefined || entry.state !== undefined) return false
  const { phase, failure, batch } = entry
  if (MISSED.has(failure)) return true
  if (phase === 'failed') return retryOf(failure) !== 'none'
  if (phase === 'chosen') return batch !== undefined
  return phase === 'waiting' || phase === 'preparing' || phase === 'paused'
}

function unfinishedOf({ id, name, folder, size }: PlannedFile): Unfinished {
  return {
    ...{ id, name: shortened(name), folder: shortened(folder), size, isInOtherTab: false, standing: 'never_begun' },
    ...{ doneBytes: 0, totalBytes: size },
  }
}
