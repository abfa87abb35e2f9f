/** Locks and stores this tab's uploads. Only the tab that has an upload's lock sends it. */
import type { SendState } from '@blindkeep/client/guest'
import type { FileIdentity } from '../files/fileIdentity.ts'
import type { GuestStore, LandedFile } from './guestStore.ts'
import type { TabLocks } from './tabLocks.ts'

export interface LockedUploads {
  /** Resolves with false when another tab has the upload. */
  lock(id: string): Promise<boolean>
  /** Stored, as far as the browser can, when it resolves. */
  save(upload: FileIdentity & { readonly id: string }, state: SendState): Promise<void>
  /** Replaces the stored upload by the landed file, and unlocks it. */
  land(file: LandedFile): Promise<void>
  /** Deletes the stored upload, and unlocks it. */
  remove(id: string): Promise<void>
}

interface LockedUploadsOptions {
  readonly linkId: string
  readonly store: GuestStore
  readonly locks: TabLocks
  readonly nowMs: () => number
}

export function createLockedUploads({ linkId, store, locks, nowMs }: LockedUploadsOptions): LockedUploads {
  const unlocks = new Map<string, () => void>()

  function unlock(id: string): void {
    unlocks.get(id)?.()
    unlocks.delete(id)
  }

  return {
    async lock(id) {
      if (unlocks.has(id)) return true
      const release = await locks.lock(id)
      if (release === undefined) return false
      unlocks.set(id, release)
      return true
    },
    async save({ id, name, folder, size, lastModified }, state) {
      await store.putUpload({ id, linkId, name, folder, size, lastModified, state, keptAt: nowMs() })
    },
    async land(file) {
      await store.land(file)
      unlock(file.id)
    },
    async remove(id) {
      await store.removeUpload(id)
      unlock(id)
    },
  }
}
