/** Waits for another tab's upload. Then takes a row listed as `other_tab` over, or cancels it if it is not stored. */
import type { Entries } from '../entries/entries.ts'
import { become } from '../entries/phases.ts'
import type { GuestStore } from '../store/guestStore.ts'
import type { LockedUploads } from '../store/lockedUploads.ts'
import type { TabLocks } from '../store/tabLocks.ts'

interface OtherTabsOptions {
  readonly linkId: string
  readonly entries: Entries
  readonly uploads: LockedUploads
  readonly store: GuestStore
  readonly locks: TabLocks
  /** Another tab has closed, or has finished an upload. */
  readonly onReleased: () => Promise<void>
  /** A file can now be sent here. */
  readonly onReady: () => void
}

/** The function that it returns watches one upload; a second call for the same upload does nothing. */
export function createOtherTabs(options: OtherTabsOptions): (id: string) => void {
  const { linkId, entries, uploads, store, locks, onReleased, onReady } = options
  const watched = new Set<string>()

  function watch(id: string): void {
    if (watched.has(id)) return
    watched.add(id)
    void locks.whenFree(id).then(async () => {
      watched.delete(id)
      await onReleased()
      await continueHere(id)
    })
  }

  async function continueHere(id: string): Promise<void> {
    if (entries.get(id)?.failure !== 'other_tab') return
    const stored = (await store.uploads(linkId)).find((upload) => upload.id === id)
    if (stored === undefined) return entries.change(id, become.cancelled())
    if (!(await uploads.lock(id))) return watch(id)
    entries.change(id, become.takenOver(stored))
    onReady()
  }

  return watch
}
