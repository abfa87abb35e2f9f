/** What the stores of rows and of bytes throw. */

/** Disk full, read-only or away, store silent, or database held too long. Nothing changed; a later call may succeed. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable'
}

/** The system denies this process's user a file or directory; nothing is lost. The message is for operators. */
export class StorageForbidden extends StorageUnavailable {
  override readonly name: string = 'StorageForbidden'
}

/**
 * The disk does not give the bytes of this object, or something else lies in its place; other objects may be well. A
 * store that does not answer, or not in time, is another `StorageUnavailable`.
 */
export class ObjectUnreadable extends StorageUnavailable {
  override readonly name: string = 'ObjectUnreadable'
}

/** There is no room for the bytes. A later call succeeds when there is. */
export class StorageFull extends StorageUnavailable {
  override readonly name: string = 'StorageFull'
}

/** A sync failed. What the disk holds of this object is unknown from now on, and no later sync can repair that. */
export class SyncFailed extends StorageUnavailable {}

export class BlobMissing extends Error {
  override readonly name = 'BlobMissing'
}

/** Too many digests wait. Nothing was read; a later call may succeed. */
export class DigestsBusy extends Error {
  override readonly name = 'DigestsBusy'
}
