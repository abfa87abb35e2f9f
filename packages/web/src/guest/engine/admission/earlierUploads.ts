/** Unfinished uploads of this link from earlier visits and from other tabs. */
import type { Environment } from '@blindkeep/client/environment'
import { askSend, forNewSession, type Landed } from '@blindkeep/client/guest'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { Message, Unfinished } from '../../ground/messages.ts'
import type { Entries } from '../entries/entries.ts'
import { shortened } from '../entries/snapshot.ts'
import { sealedMessageOf } from '../files/sentMessages.ts'
import { addLandedFile, landedFileOf } from '../receipts/landedFiles.ts'
import type { GuestStore, LandedFile, StoredUpload } from '../store/guestStore.ts'
import type { LockedUploads } from '../store/lockedUploads.ts'
import type { TabLocks } from '../store/tabLocks.ts'
import { createOtherTabs } from './otherTabs.ts'
import type { PlannedFiles } from './plannedFiles.ts'

const MAX_CHECKING = 3

export interface EarlierUploads {
  /** Reads the store again: other tabs may have changed it. */
  refresh(): Promise<void>
  /**
   * Asks the server for the status of each unfinished upload; this needs no file. The page then shows which
   * uploads have landed and which the server has deleted. When the server does not answer, the stored status of
   * the upload stays.
   */
  checkStatus(): Promise<void>
  /** `isClosed`: the link takes no new uploads, so that only one that the server has begun can continue. */
  unfinished(isClosed: boolean): readonly Unfinished[]
  /** What is sealed with each of the unfinished uploads. */
  messages(): readonly Message[]
  /** Unfinished uploads with the states that continue them, or restart those that the server deleted. */
  uploads(): readonly StoredUpload[]
  /** Removes it from this list: the guest chose its file in this visit. The store keeps the upload. */
  remove(id: string): void
  /** Locks the upload for this tab and removes it from this list. Undefined if unknown, or locked by another tab. */
  lockAndRemove(id: string): Promise<StoredUpload | undefined>
  /** Continues the upload in this tab when the other tab has released it. */
  awaitOtherTab(id: string): void
}

interface EarlierUploadsOptions {
  readonly linkId: string
  readonly entries: Entries
  readonly uploads: LockedUploads
  readonly environment: Environment
  readonly planned: Pick<PlannedFiles, 'refresh'>
  readonly store: GuestStore
  readonly locks: TabLocks
  /** Called when this tab can send a file that another tab had locked. */
  readonly onReady: () => void
  /** An upload has landed while the page was closed. */
  readonly onLanded: () => void
  readonly onMissingReceipt: (file: LandedFile) => void
  readonly onChange: () => void
}

type EarlierUpload = StoredUpload & { readonly isInOtherTab: boolean; readonly message: Message }

export function createEarlierUploads(options: EarlierUploadsOptions): EarlierUploads {
  const { linkId, entries, environment, planned, store, locks, onLanded, onMissingReceipt, onChange } = options
  const openedAt = Number(environment.now())
  let unfinished: readonly EarlierUpload[] = []
  /** Ids of uploads that the server has deleted. */
  const deletedOnServer = new Set<string>()
  const awaitOtherTab = createOtherTabs({ ...options, onReleased: refresh })

  async function refresh(): Promise<void> {
    await planned.refresh()
    const stored = await store.uploads(linkId)
    const seen = await Promise.all(
      stored.map(async (upload) => ({
        ...upload,
        isInOtherTab: await locks.isLocked(upload.id),
        message: sealedMessageOf(upload.state),
      })),
    )
    // Filtered last: while the store and the locks were read, the guest may have chosen the file of an upload.
    unfinished = seen.filter(({ id }) => entries.get(id) === undefined)
    for (const { id, isInOtherTab } of unfinished) if (isInOtherTab) awaitOtherTab(id)
    for (const file of await store.landed(linkId))
      addLandedFile(entries, file, { isOfThisVisit: file.landedAt >= openedAt, onMissingReceipt })
    onChange()
  }

  async function checkOne(upload: StoredUpload): Promise<void> {
    const { id, state } = upload
    const status = await askSend(state, environment).catch(() => undefined)
    // The guest may have chosen or discarded the upload meanwhile; then the job that sends or cancels it learns
    // its status.
    if (status === undefined || !unfinished.some((one) => one.id === id)) return
    if (status.is === 'landed') return land(upload, status.landed)
    if (status.is === 'deleted') deletedOnServer.add(id)
    const sentBytes = status.is === 'deleted' ? 0 : status.sentBytes
    unfinished = unfinished.map((one) => (one.id === id ? { ...one, sentBytes } : one))
    onChange()
    await store.putSentBytes(id, sentBytes)
  }

  async function land(upload: StoredUpload, landed: Landed): Promise<void> {
    const landedAt = Number(environment.now())
    const file = landedFileOf({ linkId, upload, state: upload.state, landed, landedAt })
    remove(upload.id)
    const stored = store.land(file)
    addLandedFile(entries, file, { isOfThisVisit: false, onMissingReceipt })
    await stored
    onLanded()
  }

  function remove(id: string): void {
    unfinished = unfinished.filter((upload) => upload.id !== id)
  }

  return {
    refresh,
    async checkStatus() {
      const begun = unfinished.filter(({ state, isInOtherTab }) => state.uploadId !== undefined && !isInOtherTab)
      await mapConcurrently(begun, MAX_CHECKING, checkOne)
    },
    unfinished: (isClosed) =>
      unfinished.map((upload) => unfinishedOf(upload, standingOf(upload, deletedOnServer.has(upload.id), isClosed))),
    messages: () => unfinished.map(({ message }) => message),
    uploads: () =>
      unfinished.map((upload) =>
        deletedOnServer.has(upload.id)
          ? { ...upload, state: forNewSession(upload.state, environment), sentBytes: 0 }
          : upload,
      ),
    remove,
    async lockAndRemove(id) {
      const upload = unfinished.find((one) => one.id === id)
      if (upload === undefined || !(await options.uploads.lock(id))) return undefined
      remove(id)
      return upload
    },
    awaitOtherTab,
  }
}

function standingOf({ state }: EarlierUpload, isDeleted: boolean, isClosed: boolean): Unfinished['standing'] {
  if (isDeleted) return 'deleted'
  return isClosed && state.uploadId === undefined ? 'not_taken' : 'kept'
}

function unfinishedOf(upload: EarlierUpload, standing: Unfinished['standing']): Unfinished {
  const { id, name, folder, size, sentBytes, state, isInOtherTab } = upload
  return {
    ...{ id, name: shortened(name), folder: shortened(folder), size, isInOtherTab },
    ...{ doneBytes: standing === 'kept' ? sentBytes : 0, totalBytes: state.size, standing },
  }
}
