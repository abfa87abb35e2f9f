/** Computes verdicts from rows and from what `verify.ts` saw of the files. These functions read no row and no file. */
import type { AssetId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobVerdictResponse, DeepVerdict } from '@blindkeep/protocol/schemas/verify'
import type { HeldBlob, ObjectStatus } from '../../ports/store.ts'

export interface VerifyQuestion {
  readonly assetId: AssetId
  /** The blobs that the client relies on. */
  readonly blobHashes: readonly Sha256Hex[]
}

export interface BlobVerdict {
  readonly hash: Sha256Hex
  readonly role: BlobVerdictResponse['role']
  readonly stored: boolean
  readonly indexed: boolean
  readonly retrievable: boolean
  /** Undefined when the bytes were not read. */
  readonly deep: DeepVerdict | undefined
}

export interface AssetVerdict {
  readonly assetId: AssetId
  readonly durable: boolean
  readonly blobs: readonly BlobVerdict[]
  /**
   * An instant before the verdict's rows were read. An object that they show as owned can only be marked after it, and
   * the collector's window counts from the mark: so a durable asset stays at least for the window from this instant.
   */
  readonly checkedAt: Instant
}

/** An asked hash and the asset's objects of that content, in landing order: none, one, or one for each role. */
export interface AskedBlob<Held extends HeldBlob = HeldBlob> {
  readonly hash: Sha256Hex
  readonly objects: readonly Held[]
}

interface AskedAsset {
  readonly assetId: AssetId
  readonly blobs: readonly AskedBlob[]
}

/** An object after a look at its file. */
interface ObservedObject extends HeldBlob {
  /** Whether there is a file at its location. */
  readonly isPresent: boolean
  readonly stored: boolean
  readonly retrievable: boolean
}

export interface ObservedAsset {
  readonly assetId: AssetId
  readonly blobs: readonly AskedBlob<ObservedObject>[]
  /** An instant before its rows were read. */
  readonly askedAt: Instant
}

/** `unreadable`: the bytes could not be read, so their content is unknown. */
export type ScanOutcome = DeepVerdict | 'unreadable'

/** The object that answers for a hash, and the outcome of its deep scan. */
export interface Found {
  readonly hash: Sha256Hex
  readonly object: ObservedObject | undefined
  readonly outcome: ScanOutcome | undefined
}

/** Whether present bytes must not be served: not kept, content on hold, or in doubt. */
export function isWithheld(status: ObjectStatus): boolean {
  return status.objectState !== 'kept' || status.isOnHold || isInDoubt(status)
}

/** Whether the bytes are known or suspected to be wrong, missing or unreadable: then nothing new vouches for them. */
export function isInDoubt({ isSuspected, damagedAt }: Pick<ObjectStatus, 'isSuspected' | 'damagedAt'>): boolean {
  return isSuspected || damagedAt !== undefined
}

export function askedOf({ assetId, blobHashes }: VerifyQuestion, held: readonly HeldBlob[]): AskedAsset {
  const byHash = Map.groupBy(held, ({ ciphertextHash }) => ciphertextHash)
  return { assetId, blobs: blobHashes.map((hash) => ({ hash, objects: byHash.get(hash) ?? [] })) }
}

/** What a look at an object saw. Undefined: nothing is there. */
export type Seen = number | 'unreadable' | undefined

/** `sizes` come from the blob store, by location. Absent where the look failed. */
export function observed(
  { assetId, blobs }: AskedAsset,
  { sizes, askedAt }: { readonly sizes: ReadonlyMap<string, Seen>; readonly askedAt: Instant },
): ObservedAsset {
  const observe = (object: HeldBlob): ObservedObject => {
    const size = sizes.get(object.location)
    const stored = size === object.size
    return { ...object, isPresent: size !== undefined, stored, retrievable: stored && !isWithheld(object) }
  }
  return { assetId, blobs: blobs.map(({ hash, objects }) => ({ hash, objects: objects.map(observe) })), askedAt }
}

/** One retrievable object is enough: the first to land answers, then the first stored, then the first. */
export function structurally({ hash, objects }: AskedBlob<ObservedObject>): Found {
  const object = objects.find(({ retrievable }) => retrievable) ?? objects.find(({ stored }) => stored) ?? objects[0]
  return { hash, object, outcome: undefined }
}

/** Scans until an object is intact; else the first outcome counts. Objects that are not stored are not read. */
export async function deeply(
  blob: AskedBlob<ObservedObject>,
  scan: (object: HeldBlob) => Promise<ScanOutcome>,
): Promise<Found> {
  const best = structurally(blob)
  if (best.object?.stored !== true) return best
  const retrievable = blob.objects.filter((object) => object.retrievable)
  let first: Found | undefined
  for (const object of retrievable.length > 0 ? retrievable : [best.object]) {
    const found = { hash: blob.hash, object, outcome: await scan(object) }
    if (found.outcome === 'intact') return found
    first ??= found
  }
  return first ?? best
}

/** Applies the rows read after the scan: they can turn a yes into a no, never a no into a yes. */
export function confirmed(found: Found, present: readonly HeldBlob[]): Found {
  const { hash, object, outcome } = found
  if (object === undefined) return found
  const row = present.find(({ location }) => location === object.location)
  if (row === undefined) return { hash, object: undefined, outcome: undefined }
  return { hash, object: { ...object, retrievable: object.retrievable && !isWithheld(row) }, outcome }
}

export function verdictOf(
  { assetId, askedAt }: Pick<ObservedAsset, 'assetId' | 'askedAt'>,
  found: readonly Found[],
): AssetVerdict {
  const blobs = found.map(blobVerdictOf)
  const isWhole = blobs.every(({ stored, indexed, retrievable }) => stored && indexed && retrievable)
  // An asset without blobs is not durable, though the conjunction over nothing is true.
  return { assetId, durable: blobs.length > 0 && isWhole, blobs, checkedAt: askedAt }
}

function blobVerdictOf({ hash, object, outcome }: Found): BlobVerdict {
  if (object === undefined)
    return { hash, role: 'unknown', stored: false, indexed: false, retrievable: false, deep: undefined }
  const { role, stored, retrievable } = object
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
