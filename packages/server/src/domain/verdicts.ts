import type { AssetId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobVerdictResponse, DeepVerdict } from '@blindkeep/protocol/schemas/verify'
import type { CopyStanding, HeldBlob } from '../ports/store.ts'

/** From rows, and what was seen of the files, to verdicts. Nothing here looks at anything; `verify.ts` does. */
export interface VerifyQuestion {
  readonly assetId: AssetId
  /** What the client relies on. */
  readonly blobHashes: readonly Sha256Hex[]
}

export interface BlobVerdict {
  readonly hash: Sha256Hex
  readonly role: BlobVerdictResponse['role']
  readonly stored: boolean
  readonly indexed: boolean
  readonly retrievable: boolean
  /** Undefined when the bytes were not examined. */
  readonly deep: DeepVerdict | undefined
}

export interface AssetVerdict {
  readonly assetId: AssetId
  readonly durable: boolean
  readonly blobs: readonly BlobVerdict[]
  /**
   * Before the rows were read that the verdict stands on. What they show as owned the collector marks later, if at all, and its window counts from the
   * mark: so what is called durable is there at least for the window from this instant.
   */
  readonly checkedAt: Instant
}

/** A declared hash with the copies that the asset holds of it, in the order of landing: none, one, or one of each role. */
export interface Declared<Copy> {
  readonly hash: Sha256Hex
  readonly copies: readonly Copy[]
}

interface DeclaredAsset {
  readonly assetId: AssetId
  readonly blobs: readonly Declared<HeldBlob>[]
}

interface SeenCopy extends HeldBlob {
  /** Whether there is anything at its location. */
  readonly isThere: boolean
  readonly stored: boolean
  readonly retrievable: boolean
}

export interface SeenAsset {
  readonly assetId: AssetId
  readonly blobs: readonly Declared<SeenCopy>[]
  /** Before its rows were read. */
  readonly askedAt: Instant
}

/** `unreadable`: nobody can say what the bytes are. */
export type ScanOutcome = DeepVerdict | 'unreadable'

/** The copy that answers for a hash, and what a deep scan of it came to. */
export interface Found {
  readonly hash: Sha256Hex
  readonly copy: SeenCopy | undefined
  readonly outcome: ScanOutcome | undefined
}

/** What keeps a copy from being handed out although its bytes are there: it is nobody's any more, its content is held, or its bytes are known to be wrong. */
export function isWithheld({ copyState, isOnHold, damagedAt }: CopyStanding): boolean {
  return copyState !== 'kept' || isOnHold || damagedAt !== undefined
}

export function declaredOf({ assetId, blobHashes }: VerifyQuestion, held: readonly HeldBlob[]): DeclaredAsset {
  const blobs = blobHashes.map((hash) => ({ hash, copies: held.filter((copy) => copy.ciphertextHash === hash) }))
  return { assetId, blobs }
}

/** `sizes` are what the blob store said of each location: undefined when there is nothing, or it could not be looked at. */
export function seenAs(
  { assetId, blobs }: DeclaredAsset,
  { sizes, askedAt }: { readonly sizes: ReadonlyMap<string, number | undefined>; readonly askedAt: Instant },
): SeenAsset {
  const see = (copy: HeldBlob): SeenCopy => {
    const size = sizes.get(copy.location)
    const stored = size === copy.size
    return { ...copy, isThere: size !== undefined, stored, retrievable: stored && !isWithheld(copy) }
  }
  const seen = blobs.map(({ hash, copies }) => ({ hash, copies: copies.map(see) }))
  return { assetId, blobs: seen, askedAt }
}

/** One good copy is enough: the first in the order of landing that nothing is wrong with answers. */
export function structurally({ hash, copies }: Declared<SeenCopy>): Found {
  const copy = copies.find(({ retrievable }) => retrievable) ?? copies.find(({ stored }) => stored) ?? copies[0]
  return { hash, copy, outcome: undefined }
}

/** Scans copies until one is intact; as long as none is, what the first one came to stands. What is not stored is not read. */
export async function deeply(blob: Declared<SeenCopy>, scan: (copy: HeldBlob) => Promise<ScanOutcome>): Promise<Found> {
  const best = structurally(blob)
  if (best.copy?.stored !== true) return best
  const good = blob.copies.filter(({ retrievable }) => retrievable)
  let first: Found | undefined
  for (const copy of good.length > 0 ? good : [best.copy]) {
    const found = { hash: blob.hash, copy, outcome: await scan(copy) }
    if (found.outcome === 'intact') return found
    first ??= found
  }
  return first ?? best
}

/** A scanned blob as the rows have it afterwards: they can turn a yes into a no, never a no into a yes. */
export function confirmed(found: Found, present: readonly HeldBlob[]): Found {
  const { hash, copy, outcome } = found
  if (copy === undefined) return found
  const row = present.find(({ location }) => location === copy.location)
  if (row === undefined) return { hash, copy: undefined, outcome: undefined }
  return { hash, copy: { ...copy, retrievable: copy.retrievable && !isWithheld(row) }, outcome }
}

export function verdictOf(
  { assetId, askedAt }: Pick<SeenAsset, 'assetId' | 'askedAt'>,
  found: readonly Found[],
): AssetVerdict {
  const blobs = found.map(blobVerdictOf)
  const isWhole = blobs.every(({ stored, indexed, retrievable }) => stored && indexed && retrievable)
  // A conjunction over nothing would be true.
  return { assetId, durable: blobs.length > 0 && isWhole, blobs, checkedAt: askedAt }
}

function blobVerdictOf({ hash, copy, outcome }: Found): BlobVerdict {
  if (copy === undefined)
    return { hash, role: 'unknown', stored: false, indexed: false, retrievable: false, deep: undefined }
  const { role, stored, retrievable } = copy
  switch (outcome) {
    case 'unreadable':
      return { hash, role, stored: false, indexed: true, retrievable: false, deep: undefined }
    case 'corrupt':
      return { hash, role, stored, indexed: true, retrievable: false, deep: outcome }
    case 'intact':
    case 'rate_limited':
    case undefined:
      return { hash, role, stored, indexed: true, retrievable, deep: outcome }
  }
}
