/** What the stores of rows and of bytes throw. */

/** The disk is full, read-only or away, the store does not answer, or another process holds the database for too long. Nothing was changed, and a later call may succeed. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable'
}

/** The system does not let the user of this process use a file or a directory: the disk is well, and nothing is lost. The message is for operators. */
export class StorageForbidden extends StorageUnavailable {
  override readonly name: string = 'StorageForbidden'
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
