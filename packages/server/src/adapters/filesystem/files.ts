import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import { onStorage, unlessMissing } from './failure.ts'
import type { Marker } from './marker.ts'
import type { Syncs } from './syncs.ts'

/** Files that stay open between first write and settling. More are open only while they are written. */
const MAX_KEPT_OPEN = 256
/** After so many bytes a sync starts while more bytes arrive, so that little is left to sync when the file settles. */
const EARLY_SYNC_BYTES = 8 * 1024 * 1024
/** Early syncs at once, over all files. They occupy threads that writes, signatures and hashes also need. */
const MAX_EARLY_SYNCS = 1

/** A file that is open for reading and writing. */
export interface OpenFile {
  readonly handle: FileHandle
  /** Reports that `bytes` more were written. */
  wrote(bytes: number): void
  sync(options: { readonly whole: boolean }): Promise<void>
}

export interface Files {
  /** Undefined if there is no file and `create` is false. Throws if a sync of the file failed before. */
  use<Result>(
    path: string,
    options: { readonly create: boolean },
    work: (file: OpenFile) => Promise<Result>,
  ): Promise<Result | undefined>
  /** Closes the file as soon as no call uses it: for a file that is settled or about to be removed. */
  release(path: string): Promise<void>
  close(): Promise<void>
}

interface KeptFile {
  readonly opened: Promise<FileHandle | undefined>
  users: number
  unsyncedBytes: number
  earlySync: Promise<void> | undefined
}

/**
 * Keeps files open from their first byte to their settling. The kernel reports a failed write-back only to handles that
 * are open, so a closed file would lose the error. A file that has to be closed earlier is synced first, and the
 * outcome is remembered.
 */
export function createFiles(syncs: Syncs, marker: Pick<Marker, 'check'>): Files {
  const kept = new Map<string, KeptFile>()
  const early = createEarlySyncs(syncs)

  function keep(path: string, create: boolean): KeptFile {
    const file = kept.get(path) ?? { opened: openFile(path, create), users: 0, unsyncedBytes: 0, earlySync: undefined }
    // Removed and added again, so that the map is in the order of the latest use.
    kept.delete(path)
    kept.set(path, file)
    return file
  }

  // Never truncates: the file has acknowledged bytes. Never creates a file on a disk without the marker.
  async function openFile(path: string, create: boolean): Promise<FileHandle | undefined> {
    if (!create) return onStorage(() => unlessMissing(() => open(path, constants.O_RDWR)))
    await marker.check()
    return onStorage(() => open(path, constants.O_RDWR | constants.O_CREAT, 0o600))
  }

  async function leave(path: string, file: KeptFile): Promise<void> {
    file.users -= 1
    const handle = await file.opened.catch(() => undefined)
    if (handle === undefined && kept.get(path) === file) kept.delete(path)
    const isReleased = file.users === 0 && kept.get(path) !== file
    if (isReleased) await closeFile(file)
    if (kept.size > MAX_KEPT_OPEN) await closeLongestUnused()
  }

  async function closeLongestUnused(): Promise<void> {
    const found = [...kept].find(([, file]) => file.users === 0)
    if (found === undefined) return
    const [path, file] = found
    kept.delete(path)
    const handle = await file.opened
    if (handle !== undefined) await syncs.sync(path, handle, { whole: false }).catch(() => undefined)
    await closeFile(file)
  }

  async function release(path: string): Promise<void> {
    const file = kept.get(path)
    kept.delete(path)
    if (file?.users === 0) await closeFile(file)
  }

  return {
    async use(path, { create }, work) {
      syncs.refuseAfterFailure(path)
      const file = keep(path, create)
      file.users += 1
      try {
        const handle = await file.opened
        if (handle === undefined && create)
          throw new StorageUnavailable('another call opened the file before this one created it')
        if (handle === undefined) return undefined
        return await work({
          handle,
          wrote: (bytes) => early.wrote(path, { file, handle, bytes }),
          async sync(options) {
            await file.earlySync
            await syncs.sync(path, handle, options)
          },
        })
      } finally {
        await leave(path, file)
      }
    },
    release,
    async close() {
      await Promise.all([...kept.keys()].map(release))
    },
  }
}

async function closeFile(file: KeptFile): Promise<void> {
  const handle = await file.opened.catch(() => undefined)
  await file.earlySync
  await onStorage(async () => handle?.close())
}

function createEarlySyncs(syncs: Syncs) {
  let running = 0
  return {
    wrote(
      path: string,
      request: { readonly file: KeptFile; readonly handle: FileHandle; readonly bytes: number },
    ): void {
      const { file, handle, bytes } = request
      file.unsyncedBytes += bytes
      const isDue = file.unsyncedBytes >= EARLY_SYNC_BYTES && file.earlySync === undefined && running < MAX_EARLY_SYNCS
      if (!isDue) return
      file.unsyncedBytes = 0
      running += 1
      file.earlySync = syncs
        .sync(path, handle, { whole: false })
        // `syncs` remembers the failure: the next use of this file throws it.
        .catch(() => undefined)
        .finally(() => {
          running -= 1
          file.earlySync = undefined
        })
    },
  }
}
