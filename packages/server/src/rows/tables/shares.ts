import type { AccountId, Instant, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'
import { counter, given, inner, later, type New, optional, type Row, sequence } from '../columns.ts'

/** Each lets everyone who has its address read some contents of an account. The id is a credential. */
export const shares = {
  /** The order in which they were created. */
  shareSeq: sequence(),
  opaqueId: given<OpaqueId>(),
  accountId: given<AccountId>(),
  createdAt: given<Instant>(),
  /** From this instant on it shows nothing. */
  expiresAt: optional<Instant>(),
  /** An ended share keeps only its id, which stays taken. */
  endedAt: later<Instant>(),
  /** 32 bytes each, in the given order. Absent after it ended, like the next. Both have their own queries. */
  blobHashes: inner(optional<Uint8Array>()),
  sealedIndex: inner(optional<Uint8Array>()),
}

/** What belongs to a share beside what it shows, while it has not ended. */
export const shareNotes = {
  opaqueId: inner(given<OpaqueId>()),
  /** This and the next are for the owner alone. */
  sealedName: optional<Uint8Array>(),
  sealedRecord: optional<Uint8Array>(),
  /** SHA-256 of the passphrase verifier, if one must be proven. What is stored cannot be sent as a proof. */
  verifierHash: inner(optional<Uint8Array>()),
}

/** How often it was opened and downloaded, and may be, while it has not ended (`shareVisits.ts`). */
export const shareVisits = {
  opaqueId: inner(given<OpaqueId>()),
  opened: counter(),
  downloaded: counter(),
  /** When the last of these visits began. */
  lastAt: later<Instant>(),
  maxDownloads: optional<number>(),
  /** The ids of the last visits that opened it, 16 bytes each, and of those that downloaded. */
  openers: later<Uint8Array>(),
  downloaders: later<Uint8Array>(),
}

export type ShareVisits = Row<typeof shareVisits>

/** What the owner sees of them. */
type VisitCounts = Omit<ShareVisits, 'openers' | 'downloaders'>

/** Of a row that is joined, and may be missing. */
type AsRead<Values> = { readonly [Name in keyof Values]: Values[Name] | undefined }

type Notes = New<typeof shareNotes>

export interface Share extends Row<typeof shares>, Pick<Notes, 'verifierHash'> {}

export type ShareNotes = Row<typeof shareNotes>

/** As its owner sees it in the list. */
export interface ListedShare extends Share, ShareNotes, AsRead<VisitCounts> {}

/** What a share shows. */
export interface ShareContents {
  readonly sealedIndex: Uint8Array
  /** In the given order. The store does not check that the account has these contents. */
  readonly blobHashes: readonly Sha256Hex[]
}

export interface NewShare extends Omit<New<typeof shares>, keyof ShareContents>, Notes, ShareContents {
  readonly maxDownloads?: number | undefined
}
