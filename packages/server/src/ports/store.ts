import type { AccountId } from '@blindkeep/protocol/ids'
import { StorageUnavailable } from '../ground/storageErrors.ts'
import type { ReadTx, WriteTx } from '../rows/nouns.ts'

export type * from '../rows/types.ts'
export type { ReadTx, WriteTx }

/**
 * The rows: everything that the server records.
 *
 * Promises that every adapter keeps and `contracts/store.ts` tests:
 * - `read` sees one snapshot and cannot change anything: its connection refuses writes. `ask` does too, for one
 *   question: `work` makes one call of its `tx` that is one statement, which needs no transaction. A second statement
 *   rejects.
 * - `write` is one transaction. When the promise resolves, it has committed durably (it survives a power cut). It rolls
 *   back completely if `work` throws, or if `work` returns a refusal (an object with `refused`), which is then the
 *   answer.
 * - Writes that name a common lock run one after another: each sees everything that the ones before it committed, and
 *   what it read still holds when it commits. Beside a write without a common lock, only single statements are safe:
 *   each judges in its own condition the rows as they are when it changes them. So a write names the lock of every
 *   account whose rows it judges or changes, unless it says why one statement is enough.
 * - `work` must await nothing but its `tx`, and may run more than once. It may run independent statements at the same
 *   time. If a statement rejects, the transaction is lost: a taken key is an answer of the port, not an error.
 * - `afterCommit` of a `tx` runs a step when its transaction has committed, before `write` resolves: never if it is
 *   undone, runs again (the next run asks for its own steps), or has an unknown outcome. Steps run in the order of the
 *   calls. An error of a step stops neither the others nor the `write`, which has happened: no caller gets it, and it
 *   ends the process as an uncaught one.
 * - `OutcomeUnknown`: it is unknown whether the write was committed. The caller reads again instead of assuming either.
 * - After a failed sync of the database the store acknowledges nothing more: every call rejects with `StoreBroken`.
 */
export interface Store {
  /** Whether `write` may throw `OutcomeUnknown`, and the commit still take effect later. */
  readonly mayLoseOutcome: boolean
  read<Result>(work: (tx: ReadTx) => Promise<Result>): Promise<Result>
  ask<Result>(work: (tx: ReadTx) => Promise<Result>): Promise<Result>
  /**
   * A number that every commit changes, of whatever process. What was read after a look stays true while later looks
   * give the same number. Undefined when the store cannot tell, or not now. The store looks after the call, never
   * before. Do not call it inside a `work`, which must await nothing but its `tx`.
   */
  look(): Promise<number | undefined>
  write<Result>(locks: Locks, work: (tx: WriteTx) => Promise<Result>): Promise<Result>
  /** Runs `work` under the receipt log's lock, which one `work` of all processes holds. Not inside a transaction. */
  withReceiptLogLock<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * `listener` hears that a connection leads to another run of the database server than the one before: it has started
   * again, or another server took its place, which may lack commits. It hears so before the connection is used. Absent
   * where that cannot be.
   */
  readonly onOtherServer?: (listener: () => void) => void
  /** The connections of its pool. Absent if it has none. */
  readonly connections?: () => Connections
  close(): Promise<void>
}

/** Those that are open, and of these the idle ones; and how many calls wait for one. */
export interface Connections {
  readonly open: number
  readonly idle: number
  readonly waiting: number
}

/** The locks of one transaction, in any order. */
export type Locks = readonly Lock[]

/**
 * What only one transaction at a time may work on:
 * - everything that an account owns
 * - the decision to remove bytes that a receipt covered: deletions begin, holds, pauses
 * - the receipt log: the lock that `withReceiptLogLock` holds while a batch is signed. Inside of it only the chain is
 *   locked.
 * - the chain: its head, its floor and the active attestation key
 * - the server's facts, its signing key and its announcements
 */
export type Lock = `account ${AccountId}` | 'removal' | 'receipt log' | 'chain' | 'server'

export function accountLock(accountId: AccountId): Lock {
  return `account ${accountId}`
}

/** What `work` returns to undo its transaction. */
export interface Refused {
  readonly refused: string
}

export function isRefused(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'refused' in result
}

/**
 * The disk is full, the database does not answer, or a lock is held for too long. Nothing was changed (but see
 * `OutcomeUnknown`), and a later call may succeed.
 */
export { StorageUnavailable }

/** The connection was lost while the database committed: the write has happened, or has not. */
export class OutcomeUnknown extends StorageUnavailable {
  override readonly name: string = 'OutcomeUnknown'
}

/** The database failed and its answers cannot be trusted any more. The process has to end. */
export class StoreBroken extends Error {
  override readonly name: string = 'StoreBroken'
}

/** No work on the store can succeed after such an error. */
export function isStoreBroken(error: unknown): boolean {
  return error instanceof StoreBroken
}

/** The database cannot be read: its pages are damaged. */
export class StoreDamaged extends StoreBroken {
  override readonly name = 'StoreDamaged'
}

/** Something else than this release's tables and indexes would act in the statements. Nothing was changed. */
export class ForeignSchema extends Error {
  override readonly name = 'ForeignSchema'
  /** What it has: `the trigger t`, `no index i`, `another table t`. */
  readonly differences: readonly string[]

  constructor(differences: readonly string[]) {
    const [first = '', ...more] = differences
    super(
      `the database has ${first}${more.length === 0 ? '' : ` (and ${more.length} more)`}, which Blindkeep did not make: what it stores is then not what Blindkeep decides. Find out who changed it, and take a backup from before that. If you added it yourself, remove it again.`,
    )
    this.differences = differences
  }
}

/** A row has a number above 2^53 - 1, which the server never writes. */
export class ValueUnreadable extends Error {
  override readonly name = 'ValueUnreadable'
}
