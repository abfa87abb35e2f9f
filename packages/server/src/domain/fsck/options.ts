import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'

/** How thorough an examination is, and its progress. */
export interface Examination {
  /** Reads every byte again. */
  readonly deep: boolean
  /** Compares each index with its table, as `deep` does. A repair needs it: its statements use the indexes. */
  readonly indexes?: boolean
  readonly signal: AbortSignal
  /** `RETENTION_MAX_DAYS`. If absent, retention is not examined. */
  readonly retentionDaysMax?: number
  /** Grows during the examination. */
  readonly counts: Counts
  /** Of an earlier examination of this directory: what never changes is examined once. Grows meanwhile. */
  readonly memory?: Memory
  /** No session was pruned yet: counts of landed files are exact, and every receipt has its session. */
  readonly isUnpruned?: boolean
}

/** Rows, files and bytes that were examined. */
export interface Counts {
  accounts: number
  links: number
  sessions: number
  drops: number
  assets: number
  blobs: number
  /** Entries of bins. */
  deletions: number
  objects: number
  files: number
  receipts: number
  /** Read and hashed. */
  bytes: number
}

export interface Memory {
  /** The last receipt that was examined. */
  log: LogPlace | undefined
  /** Locations of kept objects whose bytes were read and match the hash. */
  readonly intact: Set<string>
}

/** What the next receipt has to continue from. */
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
    deletions: 0,
    objects: 0,
    files: 0,
    receipts: 0,
    bytes: 0,
  }
}

export function newMemory(): Memory {
  return { log: undefined, intact: new Set() }
}
