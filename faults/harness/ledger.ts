/** What the harness has requested from the server, and what the server has acknowledged. */
import type { DeviceKeys } from '../../conformance/provenanceWriter.ts'
import type { Key } from '../../conformance/proving.ts'

/**
 * The two bound what may be true after a crash: an acknowledged request has taken effect, a request that was never sent
 * has not, and a request between the two may have.
 */
type RequestState = 'no' | 'asked' | 'acknowledged'

export interface Owner {
  readonly email: string
  readonly key: Key
  readonly token: string
  readonly accountId: string
  /** One album and one device, for all assets of this owner. */
  readonly albumId: string
  readonly deviceId: string
  readonly deviceKeys: DeviceKeys
  /** The newest that the server speaks. */
  readonly protocolVersion: string
}

export interface Link {
  readonly opaqueId: string
  readonly owner: Owner
  readonly singleUse: boolean
  readonly maxFileCount?: number
  readonly maxFileSize?: number
  readonly maxTotalBytes?: number
  revoked: RequestState
  /** Guests open no further sessions on it. */
  isRetired: boolean
  readonly attempts: Attempt[]
}

/** One file on its way through one link: at most one session, by its Idempotency-Key. */
export interface Attempt {
  readonly name: string
  readonly link: Link
  readonly size: number
  readonly hash: string
  /** The declared hash is of other bytes, so it must never land. */
  readonly isFalse: boolean
  created: RequestState
  uploadId: string | undefined
  /** Bytes: the highest offset of any 204 or HEAD. */
  acknowledgedOffset: number
  /** `asked` once the last chunk is sent, `acknowledged` by its 204 or a HEAD. */
  landed: RequestState
  /** The last chunk of the file, as it was last sent. */
  lastChunk: { readonly offset: number; readonly length: number } | undefined
  cancelled: RequestState
  discarded: RequestState
  /** Every adoption requested for its drop, oldest first. At most one ends acknowledged. */
  readonly adoptions: Adoption[]
  /** The server has refused the session, or has answered that there is none (any more). */
  isClosed: boolean
  /** A request whose answer no guest awaits may still be running. */
  hasPendingRequest: boolean
  dropId: string | undefined
  receiptCbor: string | undefined
}

export interface Asset {
  readonly assetId: string
  readonly owner: Owner
  /** Oldest first; the original of each replaces all blobs before it. All but the last have certainly landed. */
  readonly bundles: Bundle[]
  deleted: RequestState
  /** Every `receipt_cbor` that was ever fetched for it, in base64. */
  readonly receipts: Set<string>
}

export interface Bundle {
  readonly action: 'create' | 'replace'
  readonly original: AssetBlob
  metadata: AssetBlob | undefined
  provenance?: AssetBlob
}

export interface AssetBlob {
  readonly role: 'original' | 'metadata' | 'provenance'
  /** The seed of the blob's random bytes, unless there is `content`. */
  readonly name: string
  readonly content?: Buffer<ArrayBuffer>
  readonly size: number
  readonly hash: string
  /** Only of an adopted original. */
  readonly attempt: Attempt | undefined
  /** RFC 3339, for its manifest. Fixed, so that a repeated request is the same to the byte. */
  readonly timestamp: string
  uploadId: string | undefined
  /** Bytes: the highest offset that the server has answered. */
  acknowledgedOffset: number
  /** `asked` once an adoption, or the last chunk, is sent. */
  landed: RequestState
}

/** A drop that becomes the original of this bundle. */
export interface Adoption {
  readonly attempt: Attempt
  readonly asset: Asset
  readonly bundle: Bundle
}

export interface Counts {
  kills: number
  attempts: number
  chunks: number
  bytes: number
  landings: number
  landingsConfirmedLater: number
  discards: number
  cancels: number
  revocations: number
  failures: number
  contentsCompared: number
  refusedForSpace: number
  adoptions: number
  adoptionsConfirmedLater: number
  ownUploads: number
  deletions: number
  verdicts: number
}

export interface Ledger {
  readonly links: Link[]
  readonly attempts: Attempt[]
  readonly assets: Asset[]
  readonly counts: Counts
  /** What is wrong, one sentence each. */
  readonly faults: string[]
  fault(what: string): void
}

const MAX_FAULTS = 200

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
      landingsConfirmedLater: 0,
      discards: 0,
      cancels: 0,
      revocations: 0,
      failures: 0,
      contentsCompared: 0,
      refusedForSpace: 0,
      adoptions: 0,
      adoptionsConfirmedLater: 0,
      ownUploads: 0,
      deletions: 0,
      verdicts: 0,
    },
    faults,
    fault(what) {
      if (faults.length < MAX_FAULTS) faults.push(what)
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
    isClosed: false,
    hasPendingRequest: false,
    dropId: undefined,
    receiptCbor: undefined,
  }
}

/** Whether the owner may have ended its session by revoking the link, or another attempt by spending it. */
export function mayHaveBeenEnded(attempt: Attempt): boolean {
  const { link } = attempt
  return link.revoked !== 'no' || mayBeSpent(link, attempt)
}

export function mayBeSpent(link: Link, except?: Attempt): boolean {
  return link.singleUse && link.attempts.some((other) => other !== except && other.landed !== 'no' && !other.isFalse)
}

/** The guest sends no further request for it. */
export function isOver(attempt: Attempt): boolean {
  return attempt.isClosed || attempt.landed === 'acknowledged'
}

export function describeAttempt(attempt: Attempt): string {
  const { name, uploadId, size, acknowledgedOffset, landed, cancelled, discarded, adoptions, link } = attempt
  return `${name} (session ${uploadId}, ${acknowledgedOffset} of ${size} bytes acknowledged, landed ${landed}, cancelled ${cancelled}, discarded ${discarded}, ${adoptions.length} adoptions asked, link revoked ${link.revoked})`
}
