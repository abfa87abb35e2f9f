import type { AssetId, DropId, Instant, KeyId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { LogHead, Store } from './store.ts'

/** A backup: where it lies, the database of one instant that it is made around, and the place that it is restored to. */

/**
 * The directory of a backup. Names are relative, of our own making, and never used for other bytes:
 * `blobs/ab/<hash>.<upload_id>`, `staged/ab/<hash>.<upload_id>.<bytes>`, `<instant>.sqlite`.
 *
 * What the directory itself does not take or give (full, read-only, broken) is thrown as `BackupFailed`; whatever lay there before is still whole then.
 */
export interface BackupDirectory {
  /** What the backup says of itself; undefined when none was ever finished here. */
  manifest(): Promise<string | undefined>
  /** The turning point, durable and in one step: until then the backup that was there counts, from then on this one, with all that was added. */
  replaceManifest(text: string): Promise<void>
  /** Size in bytes; undefined when there is no such file. */
  size(name: string): Promise<number | undefined>
  /** Whole under its name or not there at all, readable by its owner alone. When `body` throws, nothing was added and its error is thrown on. */
  add(name: string, body: AsyncIterable<Uint8Array>): Promise<void>
  /** Throws `BackupFailed` when there is no such file. */
  read(name: string): AsyncIterable<Uint8Array>
  /** Names of databases, and of what SQLite left beside them. What the manifest said before it was asked is durable when it resolves. */
  databases(): Promise<readonly string[]>
  /** Every file but the manifest, leftovers of a killed run included. */
  list(): AsyncIterable<string>
  /** No error when there is none. */
  remove(name: string): Promise<void>
}

export class BackupFailed extends Error {
  override readonly name = 'BackupFailed'
}

/** An object whose bytes belong to a backup. */
export interface SnapshotObject {
  readonly location: string
  /** That it had at the instant of the snapshot: of one that is still sent, those that were recorded. At least 1. */
  readonly bytes: number
  /** A receipt vouches for it: its bytes hash to what its location says, and do not change any more. */
  readonly isWhole: boolean
}

/** What keeps an object. Nothing does when it waits for the collector, or is still sent. */
export interface SnapshotOwner {
  readonly dropId?: DropId | undefined
  readonly assetId?: AssetId | undefined
}

export interface SnapshotCounts {
  readonly accounts: number
  readonly drops: number
  readonly assets: number
  readonly receipts: number
}

/** The rows of one instant, to be read alone. */
export interface Snapshot {
  /** Undefined before the first receipt. */
  serverId(): string | undefined
  /** The oldest attestation key, which is no two servers' and never changes. */
  firstKeyId(): KeyId | undefined
  head(): LogHead | undefined
  receiptHash(receiptSeq: number): Sha256Hex | undefined
  counts(): SnapshotCounts
  /** Those first that are still sent, as they may go at any time. Never those that are deleting, nor those of which nothing has come yet. */
  objects(): Iterable<SnapshotObject>
  /** One of those; undefined when it is none of them. */
  find(location: string): SnapshotObject | undefined
  ownerOf(location: string): SnapshotOwner
  close(): void
}

/** The database that a backup is made of, beside the server that writes it. */
export interface SnapshotSource {
  /** As it is now, and later: each question of another instant. */
  present(): Snapshot
  /**
   * Objects the database of one instant to a new file in the backup's directory, durable and looked through for damage when it resolves. Holds up
   * nobody who writes meanwhile and never begins anew. Throws `BackupFailed`; what it leaves behind then is the caller's to remove.
   */
  take(name: string): Promise<Snapshot>
}

/** Where a database is restored to: under another name until all is done, so that half of it never starts. */
export interface RestoredDatabase {
  /** Takes its bytes, over what an earlier try has left. */
  receive(body: AsyncIterable<Uint8Array>): Promise<void>
  /** What was received, brought up to this release. Throws `DatabaseTooNew`. */
  open(): Promise<Store>
  /** Beside the store that is open. */
  snapshot(): Snapshot
  /** With nothing else open: nobody is signed in any more, no cursor of the feed goes on, no pause holds up the collector, no adoption holds a drop. */
  cutLoose(at: Instant): Promise<void>
  /** Durable under its own name: from here on a server starts on it. Throws when anything has it open. */
  putInPlace(): Promise<void>
  /** Removes what `receive` has made, as long as it is not in place. */
  giveUp(): Promise<void>
}
