import type { AccountId, Instant, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'
import { given, inner, later, type New, optional, type Row, sequence } from '../columns.ts'

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

type Notes = New<typeof shareNotes>

export interface Share extends Row<typeof shares>, Pick<Notes, 'verifierHash'> {}

export type ShareNotes = Row<typeof shareNotes>

/** What a share shows. */
export interface ShareContents {
  readonly sealedIndex: Uint8Array
  /** In the given order. The store does not check that the account has these contents. */
  readonly blobHashes: readonly Sha256Hex[]
}

export interface NewShare extends Omit<New<typeof shares>, keyof ShareContents>, Notes, ShareContents {}
