import type {
  AccountId,
  DeviceId,
  DropId,
  Instant,
  KeyId,
  OpaqueId,
  ProtocolVersion,
  SessionId,
  Sha256Hex,
  UploadId,
} from '@blindkeep/protocol/ids'

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
  override readonly name = 'StoreBroken'
}

export interface ReadTx {
  readonly accounts: AccountReads
  readonly sessions: SessionReads
  readonly links: LinkReads
  readonly uploads: UploadReads
  readonly drops: DropReads
  readonly copies: CopyReads
  readonly receipts: ReceiptReads
  readonly keys: KeyReads
  readonly server: ServerReads
}

export interface WriteTx {
  readonly accounts: AccountReads & AccountWrites
  readonly sessions: SessionReads & SessionWrites
  readonly links: LinkReads & LinkWrites
  readonly uploads: UploadReads & UploadWrites
  readonly drops: DropReads & DropWrites
  readonly copies: CopyReads & CopyWrites
  readonly receipts: ReceiptReads & ReceiptWrites
  readonly keys: KeyReads & KeyWrites
  readonly server: ServerReads & ServerWrites
}

// Accounts

export interface Account {
  readonly accountId: AccountId
  /** Trimmed, lower case. Unique. */
  readonly email: string
  /** The server's own hash of the authentication secret, in the PHC string format. */
  readonly secretHash: string
  readonly kdfVersion: number
  readonly salt: Uint8Array | undefined
  readonly sealedAccountKey: Uint8Array | undefined
  readonly sealedRecoveryKey: Uint8Array | undefined
  /** SHA-256 of the recovery proof. */
  readonly recoveryProofHash: Uint8Array | undefined
  readonly createdAt: Instant
  readonly suspendedAt: Instant | undefined
  /** Bytes charged: open sessions, pending drops and assets' copies. */
  readonly usedBytes: number
  /** The account's own limits, before the deployment's. */
  readonly softLimitBytes: number | undefined
  readonly hardLimitBytes: number | undefined
  /** Since when `usedBytes` has been at or over the hard limit. */
  readonly exceededSince: Instant | undefined
}

export type NewAccount = Omit<
  Account,
  'suspendedAt' | 'usedBytes' | 'softLimitBytes' | 'hardLimitBytes' | 'exceededSince'
>

export interface AccountReads {
  find(accountId: AccountId): Promise<Account | undefined>
  findByEmail(email: string): Promise<Account | undefined>
}

export interface AccountWrites {
  /** False when the e-mail is taken. */
  insert(account: NewAccount): Promise<boolean>
  /**
   * Adds `bytes` to the use if it then stays at or below `hardLimitBytes` (no limit when undefined): one conditional statement.
   * False when it would pass the limit; nothing is changed then.
   */
  charge(accountId: AccountId, bytes: number, hardLimitBytes: number | undefined): Promise<boolean>
  /** Takes `bytes` off the use. Throws if it would fall below zero: the books are wrong then. */
  refund(accountId: AccountId, bytes: number): Promise<void>
  setExceededSince(accountId: AccountId, since: Instant | undefined): Promise<void>
}

// Sessions: who is signed in

export interface Session {
  readonly sessionId: SessionId
  readonly accountId: AccountId
  readonly deviceId: DeviceId | undefined
  readonly createdAt: Instant
  readonly lastUsedAt: Instant
  readonly expiresAt: Instant
  readonly endedAt: Instant | undefined
}

/** A refresh token is known by its SHA-256 alone. */
export interface RefreshToken {
  readonly tokenHash: Uint8Array
  readonly sessionId: SessionId
  readonly issuedAt: Instant
  readonly usedAt: Instant | undefined
}

export interface SessionReads {
  find(sessionId: SessionId): Promise<Session | undefined>
  findRefreshToken(tokenHash: Uint8Array): Promise<RefreshToken | undefined>
}

export interface SessionWrites {
  insert(session: Session): Promise<void>
  insertRefreshToken(token: RefreshToken): Promise<void>
  /** False when it was used before: one conditional statement. */
  useRefreshToken(tokenHash: Uint8Array, usedAt: Instant): Promise<boolean>
  prolong(sessionId: SessionId, lastUsedAt: Instant, expiresAt: Instant): Promise<void>
  end(sessionId: SessionId, endedAt: Instant): Promise<void>
  /** Removes sessions, with their refresh tokens, that ended or expired before `before`. */
  prune(before: Instant): Promise<void>
}

// Links

export interface LinkCaps {
  readonly expiresAt: Instant | undefined
  readonly maxTotalBytes: number | undefined
  readonly maxFileCount: number | undefined
  readonly maxFileSize: number | undefined
  readonly singleUse: boolean
}

export interface NewLink extends LinkCaps {
  readonly opaqueId: OpaqueId
  readonly accountId: AccountId
  readonly dropPublicKey: Uint8Array
  readonly suiteId: number
  readonly protocolVersion: ProtocolVersion
  /** SHA-256 of the verifier: what is stored cannot be sent as a proof. */
  readonly verifierHash: Uint8Array | undefined
  readonly sealedLabel: Uint8Array | undefined
  readonly createdAt: Instant
}

export interface Link extends NewLink {
  readonly revokedAt: Instant | undefined
  /** When its first drop landed, if it is single-use. */
  readonly spentAt: Instant | undefined
  /** The session of a single-use link that is finishing: it alone may land. */
  readonly claimedBy: UploadId | undefined
  readonly landedFiles: number
  readonly landedBytes: number
  readonly openSessions: number
  readonly openBytes: number
}

export interface LinkReads {
  find(opaqueId: OpaqueId): Promise<Link | undefined>
  /** Oldest first, each with the number of its pending drops. */
  listOf(accountId: AccountId): Promise<readonly (Link & { readonly pending: number })[]>
  /** Links that are neither revoked, spent nor expired at `at`. */
  countLive(accountId: AccountId, at: Instant): Promise<number>
}

export interface LinkWrites {
  /** False when the id is taken, by whomever. */
  insert(link: NewLink): Promise<boolean>
  /**
   * Reserves one file of `size` bytes if the link is live at `at` and all its caps admit it, landed and open together, both ends inclusive,
   * and fewer than `maxOpenSessions` are open: one conditional statement, so that of any number at once exactly as many as fit are admitted.
   * False when it does not fit; nothing is changed then.
   */
  reserve(
    opaqueId: OpaqueId,
    reservation: { readonly size: number; readonly at: Instant; readonly maxOpenSessions: number },
  ): Promise<boolean>
  /** Gives an open reservation of `size` bytes back. */
  release(opaqueId: OpaqueId, size: number): Promise<void>
  /** Turns an open reservation into a landed file. A single-use link is spent from `at` on. */
  land(opaqueId: OpaqueId, size: number, at: Instant): Promise<void>
  /** Claims a single-use link that is not spent for the session that is finishing. False when another holds the claim or the link is spent. */
  claim(opaqueId: OpaqueId, uploadId: UploadId): Promise<boolean>
  unclaim(opaqueId: OpaqueId, uploadId: UploadId): Promise<void>
  /** False when there is no such link of this account, or it was revoked before. */
  revoke(opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<boolean>
}

// Upload sessions and their chunks

export type UploadState = 'open' | 'finishing' | 'landed' | 'failed' | 'ended'

export interface NewUpload {
  readonly uploadId: UploadId
  /** Who is charged. */
  readonly accountId: AccountId
  /** The link of a drop session. */
  readonly opaqueId: OpaqueId
  readonly size: number
  readonly ciphertextHash: Sha256Hex
  readonly contentType: string
  readonly kemCt: Uint8Array
  readonly suggestedFilename: string | undefined
  /** The client's Idempotency-Key, unique on its link. */
  readonly idempotencyKey: string | undefined
  /** SHA-256 of what was declared, to tell a repeat from another declaration under the same key. */
  readonly declarationHash: string
  readonly location: string
  readonly createdAt: Instant
}

export interface Upload extends NewUpload {
  readonly state: UploadState
  readonly receivedBytes: number
  readonly chunkCount: number
  readonly lastChunkAt: Instant | undefined
  /** When it landed, failed or ended. */
  readonly closedAt: Instant | undefined
}

export interface Chunk {
  readonly offset: number
  readonly length: number
  readonly checksum: Sha256Hex
}

export interface UploadReads {
  find(uploadId: UploadId): Promise<Upload | undefined>
  findByIdempotencyKey(opaqueId: OpaqueId, idempotencyKey: string): Promise<Upload | undefined>
  chunkAt(uploadId: UploadId, offset: number): Promise<Chunk | undefined>
  /** In the order of their offsets. */
  chunks(uploadId: UploadId): Promise<readonly Chunk[]>
  /** Of one link, still open. */
  openOf(opaqueId: OpaqueId): Promise<readonly Upload[]>
  /** All that a start-up has to finish. */
  finishing(): Promise<readonly UploadId[]>
  /** Open ones without a chunk created before `noChunkBefore`, with their last chunk before `idleBefore`, or created before `createdBefore`. */
  runOut(limits: {
    readonly noChunkBefore: Instant
    readonly idleBefore: Instant
    readonly createdBefore: Instant
    readonly most: number
  }): Promise<readonly Upload[]>
  /** Bytes that open sessions have declared and not yet sent. */
  outstandingBytes(): Promise<number>
}

export interface UploadWrites {
  insert(upload: NewUpload): Promise<void>
  /**
   * Records a chunk at the end of what an open session has, and with it the new end. False, and nothing changed, when the session is not open
   * or its end is not `chunk.offset`: a compare-and-set.
   */
  append(uploadId: UploadId, chunk: Chunk, at: Instant): Promise<boolean>
  /** Forgets the chunks of an open session from `offset` on: the bytes behind them are gone. */
  fallBack(uploadId: UploadId, offset: number): Promise<void>
  /** Moves a session on. False, and nothing changed, when it is not in `from`: a compare-and-set. `at` becomes `closedAt` unless `to` is finishing. */
  move(
    uploadId: UploadId,
    step: { readonly from: UploadState; readonly to: UploadState; readonly at: Instant },
  ): Promise<boolean>
  /** Forgets sessions, with their chunks, that closed before `before` (landed, failed and ended ones alike). Receipts stay. */
  prune(before: Instant): Promise<void>
}

// Drops

export interface Drop {
  readonly dropId: DropId
  readonly accountId: AccountId
  readonly opaqueId: OpaqueId
  readonly uploadId: UploadId
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  readonly contentType: string
  readonly kemCt: Uint8Array
  readonly suggestedFilename: string | undefined
  readonly location: string
  readonly receivedAt: Instant
  /** Until when an adoption holds the row; a lease that ran out still shows `adopting`. */
  readonly leasedUntil: Instant | undefined
}

export interface DropReads {
  find(dropId: DropId): Promise<Drop | undefined>
  /** Oldest first: by `receivedAt`, then in the order of landing. */
  pendingOf(accountId: AccountId): Promise<readonly Drop[]>
  countPending(accountId: AccountId): Promise<number>
}

export interface DropWrites {
  insert(drop: Drop): Promise<void>
  /** Removes the row of this account's drop unless an adoption's lease is live at `at`. What it removed, or undefined. */
  remove(dropId: DropId, accountId: AccountId, at: Instant): Promise<Drop | undefined>
  /** The same for all that came through one of this account's links. */
  removeOfLink(opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<readonly Drop[]>
}

// Copies: bytes in the blob store, known here before the first of them is written

/**
 * staged: a session writes it · kept: a receipt vouches for it and something owns it ·
 * unowned: a receipt vouched for it, nothing owns it any more, it waits out the grace window · doomed: never vouched for, to be removed at once.
 */
export type CopyState = 'staged' | 'kept' | 'unowned' | 'doomed'

export interface Copy {
  readonly location: string
  readonly size: number
  readonly state: CopyState
  /** When it took this state. */
  readonly since: Instant
}

export interface CopyReads {
  find(location: string): Promise<Copy | undefined>
  /** Those in `state` since before `before`, oldest first, `most` at the most. */
  listIn(state: CopyState, before: Instant, most: number): Promise<readonly Copy[]>
}

export interface CopyWrites {
  insert(copy: Copy): Promise<void>
  /** False, and nothing changed, when it is not in `from`. */
  move(
    location: string,
    step: { readonly from: CopyState; readonly to: CopyState; readonly at: Instant },
  ): Promise<boolean>
  /** Forgets a copy whose bytes have been removed. */
  remove(location: string): Promise<void>
}

// The receipt log

export interface ReceiptRow {
  readonly receiptSeq: number
  /** SHA-256 of `receiptCbor`. */
  readonly receiptHash: Sha256Hex
  readonly receiptCbor: Uint8Array
  readonly keyId: KeyId
  readonly uploadId: UploadId
  readonly dropId: DropId | undefined
  readonly receivedAt: Instant
}

/** Where the chain stands. */
export interface LogHead {
  readonly receiptSeq: number
  readonly receiptHash: Sha256Hex
  readonly receivedAt: Instant
}

export interface ReceiptReads {
  /** Undefined before the first receipt. */
  head(): Promise<LogHead | undefined>
  ofUpload(uploadId: UploadId): Promise<ReceiptRow | undefined>
}

export interface ReceiptWrites {
  /**
   * Appends `rows` and moves the head from `from` to the last of them. False, and nothing changed, when the head is not `from`:
   * a compare-and-set, the net under the log's lock.
   */
  append(from: LogHead | undefined, rows: readonly ReceiptRow[]): Promise<boolean>
}

// Keys, private halves sealed

export interface AttestationKey {
  readonly keyId: KeyId
  /** 1984 bytes: Ed25519 (32) and ML-DSA-65 (1952). */
  readonly publicKey: Uint8Array
  readonly sealedPrivateKey: Uint8Array
  readonly activeFrom: Instant
  readonly activeTo: Instant | undefined
}

export interface KeyReads {
  /** Oldest first, the active one last. */
  attestationKeys(): Promise<readonly AttestationKey[]>
}

export interface KeyWrites {
  insertAttestationKey(key: AttestationKey): Promise<void>
}

// Facts about the server itself

/** server_id: the origin that receipts carry. token_key: sealed Ed25519 key of access tokens. server_secret: sealed 32 bytes for made-up salts and refresh tokens. */
export type ServerFact = 'server_id' | 'token_key' | 'server_secret'

export interface ServerReads {
  fact(name: ServerFact): Promise<Uint8Array | undefined>
}

export interface ServerWrites {
  setFact(name: ServerFact, value: Uint8Array): Promise<void>
}
