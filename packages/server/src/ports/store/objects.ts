/** The objects in the blob store. Each is recorded here before its first byte is written. */
import type { AssetId, DropId, Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'

/**
 * staged: an upload session writes it · kept: a receipt vouches for it, and a drop or an asset owns it ·
 * orphaned: a receipt vouches for it, and nothing owns it any more · marked: the collector has seen it orphaned, and the grace window runs ·
 * deleting: it can be removed at once, because no receipt ever vouched for it or its grace window is over.
 */
export type ObjectState = 'staged' | 'kept' | 'orphaned' | 'marked' | 'deleting'

export interface StoredObject {
  readonly location: string
  readonly size: number
  readonly state: ObjectState
  /** When it took this state. */
  readonly since: Instant
}

/** What decides whether the server may hand out the bytes of an object. */
export interface ObjectStatus {
  readonly objectState: ObjectState
  /** When its bytes were found wrong or missing, unless they have been found right since. */
  readonly damagedAt: Instant | undefined
  /** Whether a request saw wrong bytes that the scrubber has not read since. */
  readonly isSuspected: boolean
  /** Whether its content is on hold (`holds`). */
  readonly isOnHold: boolean
}

/** A kept object, as the scrubber needs it. */
export interface KeptObject {
  readonly location: string
  readonly size: number
  /** When the scrubber last read all of it. */
  readonly checkedAt: Instant
  readonly damagedAt: Instant | undefined
}

/** What owns a kept object, by ids that the account's owner knows. */
type ObjectOwner =
  | { readonly assetId: AssetId; readonly role: BlobRole; readonly dropId?: undefined }
  | { readonly dropId: DropId; readonly assetId?: undefined }

export interface ObjectReads {
  find(location: string): Promise<StoredObject | undefined>
  /** At most `max` objects that are in `state` since before `before`, oldest first. */
  listIn(state: ObjectState, before: Instant, max: number): Promise<readonly StoredObject[]>
  /** `ciphertextHash` is the hash of its content. Undefined if there is no such object. */
  statusOf(location: string, ciphertextHash: Sha256Hex): Promise<ObjectStatus | undefined>
  /** Undefined if there is no such object, or it is not kept. */
  findKept(location: string): Promise<KeptObject | undefined>
  /** At most `max` kept objects that were last read before `before`, the longest unread first, from the first one after `after`. */
  listToScrub(range: {
    readonly before: Instant
    readonly after: Pick<KeptObject, 'checkedAt' | 'location'> | undefined
    readonly max: number
  }): Promise<readonly KeptObject[]>
  /** At most `max` kept objects that are suspected, the longest first. */
  listSuspected(max: number): Promise<readonly KeptObject[]>
  /**
   * At most `max` damaged kept objects that are due to be read again at `at`, the longest unread first: after `leastSeconds`, and then whenever as much time has
   * passed since the last reading as between the first finding and that reading.
   */
  listDamaged(due: {
    readonly at: Instant
    readonly leastSeconds: number
    readonly max: number
  }): Promise<readonly KeptObject[]>
  /** `uploadId` is the session that brought the object. */
  ownerOf(location: string, uploadId: UploadId): Promise<ObjectOwner | undefined>
}

/** A marked object whose grace window is over, with the ids in its location. */
export interface ObjectToDelete {
  readonly location: string
  readonly uploadId: UploadId
  readonly ciphertextHash: Sha256Hex
  /** It has to be marked since before this instant. */
  readonly before: Instant
  readonly at: Instant
}

export interface ObjectWrites {
  insert(object: StoredObject): Promise<void>
  /** False, and nothing changed, if it is not in `from`. */
  move(
    location: string,
    step: { readonly from: ObjectState; readonly to: Exclude<ObjectState, 'kept'>; readonly at: Instant },
  ): Promise<boolean>
  /** Moves up to 64 staged objects to kept: all their bytes were read just before `at`. False, and the transaction must not commit, if one is not staged. */
  keep(locations: readonly string[], at: Instant): Promise<boolean>
  /**
   * Moves it from marked to deleting. False, and nothing changed, if it is not marked since before `before`, if a blob of an asset, a drop or an unclosed
   * session names it, or if its content is on hold. One conditional statement.
   */
  startDeleting(object: ObjectToDelete): Promise<boolean>
  /** Records that a request saw wrong bytes. Changes nothing if it is not kept, or known as damaged. */
  suspect(location: string, at: Instant): Promise<void>
  /** Records that its bytes are wrong or missing; a suspicion ends. A first such finding keeps its instant. False, and nothing changed, if it is not kept any more. */
  markDamaged(location: string, at: Instant): Promise<boolean>
  /**
   * Records that all its bytes were read and are right. Ends a damage and a suspicion that were noted until `readAt`, when the reading began: later ones
   * know better. False, and nothing changed, if it is not kept any more.
   */
  noteIntact(location: string, times: { readonly readAt: Instant; readonly at: Instant }): Promise<boolean>
  /** Removes the row of an object whose bytes are removed. */
  remove(location: string): Promise<void>
}
