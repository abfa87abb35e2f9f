/** Unfinished uploads of this link from earlier visits and from other tabs. */
import type { Environment } from '@blindkeep/client/environment'
import { askSend, forNewSession, type Landed } from '@blindkeep/client/guest'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { Unfinished } from '../messages.ts'
import type { Entries } from './entries.ts'
import type { GuestStore, LandedFile, StoredUpload } from './guestStore.ts'
import { addLandedFile, landedFileOf } from './landedFiles.ts'
import type { LockedUploads } from './lockedUploads.ts'
import { createOtherTabs } from './otherTabs.ts'
import { shortened } from './snapshot.ts'
import type { TabLocks } from './tabLocks.ts'

const MAX_ASKING = 3

export interface EarlierUploads {
  /** Reads the store again: other tabs may have changed it. */
  refresh(): Promise<void>
  /**
   * Asks the server about each unfinished upload, without the file. An upload that has landed is shown as landed; one that the server has deleted is
   * shown as such. Where the server does not answer, the upload stays as it is stored.
   */
  ask(): Promise<void>
  unfinished(): readonly Unfinished[]
  /** With the states from which they can be continued. */
  uploads(): readonly StoredUpload[]
  /** It is a file of this visit from now on. */
  remove(id: string): void
  /** Locks and removes the upload. Undefined when there is none, or when another tab has it. */
  take(id: string): Promise<StoredUpload | undefined>
  /** Continues the upload here when the other tab has released it. */
  awaitOtherTab(id: string): void
}

interface EarlierUploadsOptions {
  readonly linkId: string
  readonly entries: Entries
  readonly uploads: LockedUploads
  readonly environment: Environment
  readonly store: GuestStore
  readonly locks: TabLocks
  /** A file can be sent that could not be sent before. */
  readonly onReady: () => void
  readonly onMissingReceipt: (file: LandedFile) => void
  readonly onChange: () => void
}

type EarlierUpload = StoredUpload & { readonly isInOtherTab: boolean }

export function createEarlierUploads(options: EarlierUploadsOptions): EarlierUploads {
  const { linkId, entries, environment, store, locks, onMissingReceipt, onChange } = options
  let unfinished: readonly EarlierUpload[] = []
  /** Uploads of which the server has nothing. */
  const lost = new Set<string>()
  const awaitOtherTab = createOtherTabs({ ...options, onReleased: refresh })

  async function refresh(): Promise<void> {
    const stored = await store.uploads(linkId)
    const seen = await Promise.all(
      stored.map(async (upload) => ({ ...upload, isInOtherTab: await locks.isTaken(upload.id) })),
    )
    // Filtered after the waiting: the guest may have chosen one of them meanwhile.
    unfinished = seen.filter(({ id }) => entries.get(id) === undefined)
    for (const { id, isInOtherTab } of unfinished) if (isInOtherTab) awaitOtherTab(id)
    for (const file of await store.landed(linkId)) addLandedFile(entries, file, onMissingReceipt)
    onChange()
  }

  async function askOne(upload: StoredUpload): Promise<void> {
    const { id, state } = upload
    const status = await askSend(state, environment).catch(() => undefined)
    // When the guest has chosen or discarded the upload meanwhile, sending or cancelling it learns its status too.
    if (status === undefined || !unfinished.some((one) => one.id === id)) return
    if (status.is === 'landed') return land(upload, status.landed)
    if (status.is === 'gone') lost.add(id)
    const reached = status.is === 'gone' ? 0 : status.reached
    unfinished = unfinished.map((one) => (one.id === id ? { ...one, reached } : one))
    onChange()
    await store.putReached(id, reached)
  }

  async function land(upload: StoredUpload, landed: Landed): Promise<void> {
    const landedAt = Number(environment.now())
    const file = landedFileOf({ linkId, upload, state: upload.state, landed, landedAt })
    remove(upload.id)
    const stored = store.land(file)
    addLandedFile(entries, file, onMissingReceipt)
    await stored
  }

  function remove(id: string): void {
    unfinished = unfinished.filter((upload) => upload.id !== id)
  }

  return {
    refresh,
    async ask() {
      const begun = unfinished.filter(({ state, isInOtherTab }) => state.uploadId !== undefined && !isInOtherTab)
      await mapConcurrently(begun, MAX_ASKING, askOne)
    },
    unfinished: () => unfinished.map((upload) => unfinishedOf(upload, lost.has(upload.id))),
    uploads: () =>
      unfinished.map((upload) =>
        lost.has(upload.id) ? { ...upload, state: forNewSession(upload.state, environment), reached: 0 } : upload,
      ),
    remove,
    async take(id) {
      const upload = unfinished.find((one) => one.id === id)
      if (upload === undefined || !(await options.uploads.lock(id))) return undefined
      remove(id)
      return upload
    },
    awaitOtherTab,
  }
}

function unfinishedOf(upload: EarlierUpload, mustRestart: boolean): Unfinished {
  const { id, name, folder, size, reached, state, isInOtherTab } = upload
  return {
    ...{ id, name: shortened(name), folder: shortened(folder), size, isInOtherTab, mustRestart },
    ...{ doneBytes: mustRestart ? 0 : reached, totalBytes: state.size },
  }
}
