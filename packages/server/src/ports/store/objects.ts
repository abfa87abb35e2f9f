import type { AssetId, DropId, Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'

/** Bytes in the blob store, known here before the first of them is written. */

/**
 * staged: a session writes it · kept: a receipt vouches for it and something owns it ·
 * orphaned: a receipt vouched for it, nothing owns it any more · marked: so seen by the collector, from then on it waits out the grace window ·
 * deleting: to be removed at once, as it was never vouched for or has waited long enough.
 */
export type ObjectState = 'staged' | 'kept' | 'orphaned' | 'marked' | 'deleting'

export interface StoredObject {
  readonly location: string
  readonly size: number
  readonly state: ObjectState
  /** When it took this state. */
  readonly since: Instant
}

/** Whether the bytes of an object may be handed out, as the rows have it. */
export interface ObjectStatus {
  readonly objectState: ObjectState
  /** When its bytes were found wrong, unless they have been found right since. */
  readonly damagedAt: Instant | undefined
  /** Whether its content is held (`holds`). */
  readonly isOnHold: boolean
}

/** A kept object as the scrubber asks for it. */
export interface KeptObject {
  readonly location: string
  readonly size: number
  /** When it was last read whole. */
  readonly checkedAt: Instant
  readonly damagedAt: Instant | undefined
}

/** What owns a kept object: by these ids its owner knows it. */
export type ObjectOwner =
  | { readonly assetId: AssetId; readonly role: BlobRole; readonly dropId?: undefined }
  | { readonly dropId: DropId; readonly assetId?: undefined }

export interface ObjectReads {
  find(location: string): Promise<StoredObject | undefined>
  /** Those in `state` since before `before`, oldest first, `most` at the most. */
  listIn(state: ObjectState, before: Instant, most: number): Promise<readonly StoredObject[]>
  /** `ciphertextHash` is that of its content. Undefined when there is no such object. */
  statusOf(location: string, ciphertextHash: Sha256Hex): Promise<ObjectStatus | undefined>
  /** Undefined when there is no such object, or it is not kept. */
  findKept(location: string): Promise<KeptObject | undefined>
  /** Kept objects that were last read before `before`, those first that were not read for longest, from behind `after` on, `most` at the most. */
  listToScrub(range: {
    readonly before: Instant
    readonly after: Pick<KeptObject, 'checkedAt' | 'location'> | undefined
    readonly most: number
  }): Promise<readonly KeptObject[]>
  /** `uploadId` is that of the session that brought it. */
  ownerOf(location: string, uploadId: UploadId): Promise<ObjectOwner | undefined>
}

/** A marked object that has waited, with what its location says of it. */
export interface ObjectToDelete {
  readonly location: string
  readonly uploadId: UploadId
  readonly ciphertextHash: Sha256Hex
  /** It has to be marked since before. */
  readonly before: Instant
  readonly at: Instant
}

export interface ObjectWrites {
  insert(object: StoredObject): Promise<void>
  /** False, and nothing changed, when it is not in `from`. */
  move(
    location: string,
    step: { readonly from: ObjectState; readonly to: ObjectState; readonly at: Instant },
  ): Promise<boolean>
  /**
   * From marked to deleting, in one statement. False, and nothing changed, when it is not marked for that long, when a blob of an asset, a drop or a
   * session that has not closed names it, or when its content is held.
   */
  startDeleting(object: ObjectToDelete): Promise<boolean>
  /** Notes that its bytes were read and are wrong or missing; when they were first found so stays. False, and nothing changed, when it is not kept any more. */
  markDamaged(location: string, at: Instant): Promise<boolean>
  /** Notes that its bytes were read whole and are right, whatever was found before. False, and nothing changed, when it is not kept any more. */
  noteIntact(location: string, at: Instant): Promise<boolean>
  /** Forgets an object whose bytes have been removed. */
  remove(location: string): Promise<void>
}
