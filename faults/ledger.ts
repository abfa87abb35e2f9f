import type { DeviceKeys } from '../conformance/provenanceWriter.ts'
import type { Adoption, Asset } from './assets/assetLedger.ts'

/**
 * What the harness has asked of the server and what the server has acknowledged. The two bound what may be true after a crash:
 * what was acknowledged has happened, what was never asked has not, and anything in between may be either.
 */
export type Said = 'no' | 'asked' | 'acknowledged'

export interface Owner {
  readonly email: string
  readonly password: string
  readonly token: string
  readonly accountId: string
  /** One album and one device, for all that this owner keeps. */
  readonly albumId: string
  readonly deviceId: string
  readonly deviceKeys: DeviceKeys
  /** The newest. */
  readonly protocolVersion: string
}

export interface Link {
  readonly opaqueId: string
  readonly owner: Owner
  readonly singleUse: boolean
  readonly maxFileCount?: number
  readonly maxFileSize?: number
  readonly maxTotalBytes?: number
  revoked: Said
  /** No guest begins anything on it any more. */
  isRetired: boolean
  readonly attempts: Attempt[]
}

/** One file on its way through one link: at most one session, by its Idempotency-Key. */
export interface Attempt {
  readonly name: string
  readonly link: Link
  readonly size: number
  readonly hash: string
  /** Declared with the hash of other bytes: such a one may never land. */
  readonly isFalse: boolean
  created: Said
  uploadId: string | undefined
  /** Bytes, by the highest offset that a 204 or a HEAD has given. */
  acknowledgedOffset: number
  /** `asked` once the last chunk was sent, `acknowledged` by its 204 or a HEAD. */
  landed: Said
  /** The chunk that would make it whole, as it was sent last. */
  lastChunk: { readonly offset: number; readonly length: number } | undefined
  cancelled: Said
  discarded: Said
  /** Every adoption that was asked for its drop, the last one last. One at the most ends acknowledged. */
  readonly adoptions: Adoption[]
  /** The server has said that it refuses the session, or that there is none (any more). */
  isGone: boolean
  /** A request may still be under way that nobody waits for. */
  hasLooseRequest: boolean
  dropId: string | undefined
  receiptCbor: string | undefined
}

export interface Counts {
  kills: number
  attempts: number
  chunks: number
  bytes: number
  landings: number
  landingsLearntLater: number
  discards: number
  cancels: number
  revocations: number
  failures: number
  contentsCompared: number
  refusedForSpace: number
  adoptions: number
  adoptionsLearntLater: number
  ownUploads: number
  deletions: number
  verdicts: number
}

export interface Ledger {
  readonly links: Link[]
  readonly attempts: Attempt[]
  readonly assets: Asset[]
  readonly counts: Counts
  /** What was found wrong, each as a sentence. */
  readonly faults: string[]
  fault(what: string): void
}

const MAX_FAULTS_TOLD = 200

export function createLedger(): Ledger {
  const faults: string[] = []
  return {
    links: [],
    attempts: [],
    assets: [],
    counts: {
      kills: 0,
      attempts: 0,
      chunks: 0,
      bytes: 0,
      landings: 0,
      landingsLearntLater: 0,
      discards: 0,
      cancels: 0,
      revocations: 0,
      failures: 0,
      contentsCompared: 0,
      refusedForSpace: 0,
      adoptions: 0,
      adoptionsLearntLater: 0,
      ownUploads: 0,
      deletions: 0,
      verdicts: 0,
    },
    faults,
    fault(what) {
      if (faults.length < MAX_FAULTS_TOLD) faults.push(what)
    },
  }
}

export function newAttempt(of: Pick<Attempt, 'name' | 'link' | 'size' | 'hash' | 'isFalse'>): Attempt {
  return {
    ...of,
    created: 'no',
    uploadId: undefined,
    acknowledgedOffset: 0,
    landed: 'no',
    lastChunk: undefined,
    cancelled: 'no',
    discarded: 'no',
    adoptions: [],
    isGone: false,
    hasLooseRequest: false,
    dropId: undefined,
    receiptCbor: undefined,
  }
}

/** Whether somebody other than the attempt itself may have ended its session: the owner, or a sibling that spent the link. */
export function mayHaveBeenEnded(attempt: Attempt): boolean {
  const { link } = attempt
  return link.revoked !== 'no' || mayBeSpent(link, attempt)
}

export function mayBeSpent(link: Link, except?: Attempt): boolean {
  return link.singleUse && link.attempts.some((other) => other !== except && other.landed !== 'no' && !other.isFalse)
}

/** Nothing more is asked for it. */
export function isOver(attempt: Attempt): boolean {
  return attempt.isGone || attempt.landed === 'acknowledged'
}

export function describeAttempt(attempt: Attempt): string {
  const { name, uploadId, size, acknowledgedOffset, landed, cancelled, discarded, adoptions, link } = attempt
  return `${name} (session ${uploadId}, ${acknowledgedOffset} of ${size} bytes acknowledged, landed ${landed}, cancelled ${cancelled}, discarded ${discarded}, ${adoptions.length} adoptions asked, link revoked ${link.revoked})`
}
