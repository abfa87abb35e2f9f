import type { AssetId, Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { BlobVerdictResponse, DeepVerdict } from '@blindkeep/protocol/schemas/verify'
import type { HeldBlob, ObjectStatus } from '../../ports/store.ts'

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

/** A declared hash with the objects that the asset holds of it, in the order of landing: none, one, or one of each role. */
export interface Declared<StoredObject> {
  readonly hash: Sha256Hex
  readonly objects: readonly StoredObject[]
}

interface DeclaredAsset {
  readonly assetId: AssetId
  readonly blobs: readonly Declared<HeldBlob>[]
}

interface SeenObject extends HeldBlob {
  /** Whether there is anything at its location. */
  readonly isThere: boolean
  readonly stored: boolean
  readonly retrievable: boolean
}

export interface SeenAsset {
  readonly assetId: AssetId
  readonly blobs: readonly Declared<SeenObject>[]
  /** Before its rows were read. */
  readonly askedAt: Instant
}

/** `unreadable`: nobody can say what the bytes are. */
export type ScanOutcome = DeepVerdict | 'unreadable'

/** The object that answers for a hash, and what a deep scan of it came to. */
export interface Found {
  readonly hash: Sha256Hex
  readonly object: SeenObject | undefined
  readonly outcome: ScanOutcome | undefined
}

/** What keeps an object from being handed out although its bytes are there: it is nobody's any more, its content is held, or its bytes are known to be wrong. */
export function isWithheld({ objectState, isOnHold, damagedAt }: ObjectStatus): boolean {
  return objectState !== 'kept' || isOnHold || damagedAt !== undefined
}

export function declaredOf({ assetId, blobHashes }: VerifyQuestion, held: readonly HeldBlob[]): DeclaredAsset {
  const blobs = blobHashes.map((hash) => ({ hash, objects: held.filter((object) => object.ciphertextHash === hash) }))
  return { assetId, blobs }
}

/** `sizes` are what the blob store said of each location: undefined when there is nothing, or it could not be looked at. */
export function seenAs(
  { assetId, blobs }: DeclaredAsset,
  { sizes, askedAt }: { readonly sizes: ReadonlyMap<string, number | undefined>; readonly askedAt: Instant },
): SeenAsset {
  const see = (object: HeldBlob): SeenObject => {
    const size = sizes.get(object.location)
    const stored = size === object.size
    return { ...object, isThere: size !== undefined, stored, retrievable: stored && !isWithheld(object) }
  }
  const seen = blobs.map(({ hash, objects }) => ({ hash, objects: objects.map(see) }))
  return { assetId, blobs: seen, askedAt }
}

/** One good object is enough: the first in the order of landing that nothing is wrong with answers. */
export function structurally({ hash, objects }: Declared<SeenObject>): Found {
  const object = objects.find(({ retrievable }) => retrievable) ?? objects.find(({ stored }) => stored) ?? objects[0]
  return { hash, object, outcome: undefined }
}

/** Scans objects until one is intact; as long as none is, what the first one came to stands. What is not stored is not read. */
export async function deeply(
  blob: Declared<SeenObject>,
  scan: (object: HeldBlob) => Promise<ScanOutcome>,
): Promise<Found> {
  const best = structurally(blob)
  if (best.object?.stored !== true) return best
  const good = blob.objects.filter(({ retrievable }) => retrievable)
  let first: Found | undefined
  for (const object of good.length > 0 ? good : [best.object]) {
    const found = { hash: blob.hash, object, outcome: await scan(object) }
    if (found.outcome === 'intact') return found
    first ??= found
  }
  return first ?? best
}

/** A scanned blob as the rows have it afterwards: they can turn a yes into a no, never a no into a yes. */
export function confirmed(found: Found, present: readonly HeldBlob[]): Found {
  const { hash, object, outcome } = found
  if (object === undefined) return found
  const row = present.find(({ location }) => location === object.location)
  if (row === undefined) return { hash, object: undefined, outcome: undefined }
  return { hash, object: { ...object, retrievable: object.retrievable && !isWithheld(row) }, outcome }
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
