import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'

/** How thorough an examination is, and what it tells while it runs. */
export interface Examination {
  /** Reads every byte again. */
  readonly deep: boolean
  /** Compares every index of the database with its table, as `deep` does: whoever repairs goes by what they say. */
  readonly indexes?: boolean
  readonly signal: AbortSignal
  /** Grows while it looks. */
  readonly counts: Counts
  /** Of an earlier examination of the same directory: what nothing may change is not looked at again. Grows. */
  readonly memory?: Memory
  /** No session was ever forgotten, as none is old enough: then counts of what has landed are exact, and every receipt has its session. */
  readonly isUnpruned?: boolean
}

/** What was looked at. */
export interface Counts {
  accounts: number
  links: number
  sessions: number
  drops: number
  assets: number
  blobs: number
  objects: number
  files: number
  receipts: number
  /** Read and hashed. */
  bytes: number
}

export interface Memory {
  /** How far the log was found whole. */
  log: LogPlace | undefined
  /** Locations whose kept bytes were read and are those of the receipt. */
  readonly intact: Set<string>
}

/** A receipt, as the next one has to continue from it. */
export interface LogPlace {
  readonly receiptSeq: number
  readonly receiptHash: Sha256Hex
  readonly receivedAt: Instant
}

export function newCounts(): Counts {
  return {
    accounts: 0,
    links: 0,
    sessions: 0,
    drops: 0,
    assets: 0,
    blobs: 0,
    objects: 0,
    files: 0,
    receipts: 0,
    bytes: 0,
  }
}

export function newMemory(): Memory {
  return { log: undefined, intact: new Set() }
}
