import type { AccountDeletionReads, AccountDeletionWrites } from './store/accountDeletions.ts'
import type { AccountReads, AccountWrites } from './store/accounts.ts'
import type { AlbumReads, AlbumWrites } from './store/albums.ts'
import type { AssetReads, AssetWrites } from './store/assets.ts'
import type { AuditReads, AuditWrites } from './store/audit.ts'
import type { CapabilityReads, CapabilityWrites } from './store/capabilities.ts'
import type { ChallengeReads, ChallengeWrites } from './store/challenges.ts'
import type { ChangeReads, ChangeWrites } from './store/changes.ts'
import type { DeprecationReads, DeprecationWrites } from './store/deprecations.ts'
import type { DeviceReads, DeviceWrites } from './store/devices.ts'
import type { DropReads, DropWrites } from './store/drops.ts'
import type { HoldReads, HoldWrites } from './store/holds.ts'
import type { InviteReads, InviteWrites } from './store/invites.ts'
import type { KeyReads, KeyWrites } from './store/keys.ts'
import type { LinkReads, LinkWrites } from './store/links.ts'
import type { ObjectReads, ObjectWrites } from './store/objects.ts'
import type { ReceiptReads, ReceiptWrites } from './store/receipts.ts'
import type { SecondFactorReads, SecondFactorWrites } from './store/secondFactors.ts'
import type { ServerReads, ServerWrites } from './store/server.ts'
import type { SessionReads, SessionWrites } from './store/sessions.ts'
import type { ShareReads, ShareWrites } from './store/shares.ts'
import type { UploadReads, UploadWrites } from './store/uploads.ts'

/**
 * The rows, and what may be asked of them.
 *
 * Promises that every adapter keeps and `store.contract.ts` tests:
 * - `read` sees one snapshot and cannot change anything: its connection itself refuses.
 * - `write` is one transaction, serial with every other: what it read is still so when it commits. It has committed durably (it survives a power cut)
 *   when the promise resolves. It rolls back whole when `work` throws, and when it returns a refusal (an object with `refused`), which is then the answer.
 * - `work` awaits nothing but its `tx`, and may be run more than once.
 * - After a failed sync of the database nothing is acknowledged any more: every call rejects with `StoreBroken`.
 */
export interface Store {
  read<Result>(work: (tx: ReadTx) => Promise<Result>): Promise<Result>
  write<Result>(work: (tx: WriteTx) => Promise<Result>): Promise<Result>
  /** Runs `work` while no other holder, on this node or another, has the receipt log's lock. Not inside a transaction. */
  withReceiptLogLock<Result>(work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** What `work` returns to undo its transaction. */
export interface Refused {
  readonly refused: string
}

/** A full disk, or another process that holds the database too long. Nothing was changed, and a later call may succeed. */
export { StorageUnavailable } from './blobs.ts'

/** The database failed in a way after which its word is worth nothing. The process has to end. */
export class StoreBroken extends Error {
  override readonly name: string = 'StoreBroken'
}

/** It cannot be read any further: what lies on its pages is no database. */
export class StoreDamaged extends StoreBroken {
  override readonly name = 'StoreDamaged'
}

/** A row holds a number beyond 2^53 - 1, which nothing here ever writes. */
export class ValueUnreadable extends Error {
  override readonly name = 'ValueUnreadable'
}

export interface ReadTx {
  readonly accounts: AccountReads
  readonly secondFactors: SecondFactorReads
  readonly challenges: ChallengeReads
  readonly sessions: SessionReads
  readonly invites: InviteReads
  readonly devices: DeviceReads
  readonly albums: AlbumReads
  readonly assets: AssetReads
  readonly links: LinkReads
  readonly uploads: UploadReads
  readonly drops: DropReads
  readonly objects: ObjectReads
  readonly holds: HoldReads
  readonly changes: ChangeReads
  readonly receipts: ReceiptReads
  readonly accountDeletions: AccountDeletionReads
  readonly deprecations: DeprecationReads
  readonly capabilities: CapabilityReads
  readonly shares: ShareReads
  readonly keys: KeyReads
  readonly server: ServerReads
  readonly audit: AuditReads
}

export interface WriteTx {
  readonly accounts: AccountReads & AccountWrites
  readonly secondFactors: SecondFactorReads & SecondFactorWrites
  readonly challenges: ChallengeReads & ChallengeWrites
  readonly sessions: SessionReads & SessionWrites
  readonly invites: InviteReads & InviteWrites
  readonly devices: DeviceReads & DeviceWrites
  readonly albums: AlbumReads & AlbumWrites
  readonly assets: AssetReads & AssetWrites
  readonly links: LinkReads & LinkWrites
  readonly uploads: UploadReads & UploadWrites
  readonly drops: DropReads & DropWrites
  readonly objects: ObjectReads & ObjectWrites
  readonly holds: HoldReads & HoldWrites
  readonly changes: ChangeReads & ChangeWrites
  readonly receipts: ReceiptReads & ReceiptWrites
  readonly accountDeletions: AccountDeletionReads & AccountDeletionWrites
  readonly deprecations: DeprecationReads & DeprecationWrites
  readonly capabilities: CapabilityReads & CapabilityWrites
  readonly shares: ShareReads & ShareWrites
  readonly keys: KeyReads & KeyWrites
  readonly server: ServerReads & ServerWrites
  readonly audit: AuditReads & AuditWrites
}

export type * from './store/accountDeletions.ts'
/** Each noun has a file of its own; whoever asks for rows names this one. */
export type * from './store/accounts.ts'
export type * from './store/albums.ts'
export type * from './store/assets.ts'
export type * from './store/audit.ts'
export type * from './store/capabilities.ts'
export type * from './store/challenges.ts'
export type * from './store/changes.ts'
export type * from './store/deprecations.ts'
export type * from './store/devices.ts'
export type * from './store/drops.ts'
export type * from './store/holds.ts'
export type * from './store/invites.ts'
export type * from './store/keys.ts'
export type * from './store/links.ts'
export type * from './store/objects.ts'
export type * from './store/receipts.ts'
export type * from './store/secondFactors.ts'
export type * from './store/server.ts'
export type * from './store/sessions.ts'
export type * from './store/shares.ts'
export type * from './store/uploads.ts'
