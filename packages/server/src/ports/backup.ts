/** A backup: its directory, the database's snapshot, and the database that a restore creates. */
import type { AssetId, DropId, Instant, KeyId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { PartIndex, PlacedPart } from './parts.ts'
import type { LogHead, Store } from './store.ts'

/**
 * The directory of a backup. Names are relative, made by the server, and never reused for other bytes:
 * `blobs/ab/<hash>.<upload_id>`, `staged/ab/<hash>.<upload_id>.<bytes>`, `<instant>.sqlite`.
 *
 * A failure of the directory (full, read-only, broken) throws `BackupFailed`; the backup that was there before
 * stays whole.
 */
export interface BackupDirectory {
  /** Durably (mode 0700), with missing parents. Before the first file is added; does nothing if it is there. */
  create(): Promise<void>
  /** The manifest of the last finished backup; undefined if no backup has ever finished here. */
  manifest(): Promise<string | undefined>
  /** Replaces the old backup in one durable step, with all files that `add` wrote. */
  replaceManifest(text: string): Promise<void>
  /** Size in bytes; undefined if there is no such file. */
  size(name: string): Promise<number | undefined>
  /** Adds the whole file (mode 0600) or nothing. Rethrows what `body` throws; nothing is added then. */
  add(name: string, body: AsyncIterable<Uint8Array>): Promise<void>
  /** Throws `BackupFailed` if there is no such file. */
  read(name: string): AsyncIterable<Uint8Array>
  /** Names of databases and SQLite's files beside them. Resolves when the manifest read before is durable. */
  databases(): Promise<readonly string[]>
  /** Every file except the manifest, also what a killed run left. */
  list(): AsyncIterable<string>
  /** No error if there is no such file. */
  remove(name: string): Promise<void>
}

export class BackupFailed extends Error {
  override readonly name = 'BackupFailed'
}

/** An object whose bytes a backup needs. */
export interface SnapshotObject {
  readonly location: string
  /** At the snapshot's instant; of an object being uploaded, the recorded ones. At least 1. */
  readonly bytes: number
  /** Whether a receipt vouches for it: its bytes have the hash in its location, and never change. */
  readonly isWhole: boolean
}

/** Who owns an object. Nothing owns an object that waits for the collector or is still being uploaded. */
interface SnapshotOwner {
  readonly dropId?: DropId | undefined
  readonly assetId?: AssetId | undefined
}

export interface SnapshotCounts {
  readonly accounts: number
  readonly drops: number
  readonly assets: number
  readonly receipts: number
}

/** The rows of one instant, read-only. */
export interface Snapshot {
  /** Undefined before the first receipt. */
  serverId(): string | undefined
  /** The oldest attestation key. It never changes, and no two servers share it. */
  firstKeyId(): KeyId | undefined
  head(): LogHead | undefined
  counts(): SnapshotCounts
  /** Objects being uploaded first: they may disappear. Without deleting objects and empty ones. */
  objects(): Iterable<SnapshotObject>
  /** One of `objects`, or undefined. */
  find(location: string): SnapshotObject | undefined
  ownerOf(location: string): SnapshotOwner
  close(): void
}

/** The database that a backup copies while the server writes to it. */
export interface SnapshotSource {
  /**
   * Copies the database of one instant to a new SQLite file in the backup's directory, whatever the database is. When
   * it resolves, the file is durable and was checked for damage. Does not delay writers, and writers do not make it
   * start again. Throws `BackupFailed`; the caller then removes what is left of the file.
   */
  take(name: string): Promise<Snapshot>
}

/** Records the parts of arriving objects in a store with keys. A store without keys has none. */
export interface ArrivingParts extends PartIndex {
  /** Before the first byte is at the key. */
  begin(location: string, key: string): Promise<void>
  keep(part: PlacedPart & { readonly checksum: Sha256Hex }): Promise<void>
  /** The parts of the object count no more: the server will remove their bytes. */
  forget(location: string): Promise<void>
}

/** A restore's database, under a temporary name until it is complete: no server starts on a part. */
export interface RestoredDatabase {
  /** Receives its bytes. Replaces what an earlier attempt left. */
  receive(body: AsyncIterable<Uint8Array>): Promise<void>
  /** Opens the received database and migrates it to this release. Throws `DatabaseTooNew`. */
  open(): Promise<Store>
  /** Works while the store is open. */
  readonly parts: ArrivingParts
  /** Works while the store is open. */
  snapshot(): Snapshot
  /** Ends all sessions, the collector's pause and all claims on drops, while nothing else uses the database. */
  detachClients(at: Instant): Promise<void>
  /** Gives the database its final name, durably: a server can start on it. Throws if anything has the database open. */
  putInPlace(): Promise<void>
  /** Removes what `receive` wrote, unless it has its final name already. */
  discard(): Promise<void>
}
