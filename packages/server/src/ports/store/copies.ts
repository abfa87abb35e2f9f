import type { AssetId, DropId, Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'

/** Bytes in the blob store, known here before the first of them is written. */

/**
 * staged: a session writes it · kept: a receipt vouches for it and something owns it ·
 * unowned: a receipt vouched for it, nothing owns it any more · marked: so seen by the collector, from then on it waits out the grace window ·
 * doomed: to be removed at once, as it was never vouched for or has waited long enough.
 */
export type CopyState = 'staged' | 'kept' | 'unowned' | 'marked' | 'doomed'

export interface Copy {
  readonly location: string
  readonly size: number
  readonly state: CopyState
  /** When it took this state. */
  readonly since: Instant
}

/** Whether the bytes of a copy may be handed out, as the rows have it. */
export interface CopyStanding {
  readonly copyState: CopyState
  /** When its bytes were found wrong, unless they have been found right since. */
  readonly damagedAt: Instant | undefined
  /** Whether its content is held (`holds`). */
  readonly isOnHold: boolean
}

/** A kept copy as the scrubber asks for it. */
export interface KeptCopy {
  readonly location: string
  readonly size: number
  /** When it was last read whole. */
  readonly checkedAt: Instant
  readonly damagedAt: Instant | undefined
}

/** What owns a kept copy: by these ids its owner knows it. */
export type CopyOwner =
  | { readonly assetId: AssetId; readonly role: BlobRole; readonly dropId?: undefined }
  | { readonly dropId: DropId; readonly assetId?: undefined }

export interface CopyReads {
  find(location: string): Promise<Copy | undefined>
  /** Those in `state` since before `before`, oldest first, `most` at the most. */
  listIn(state: CopyState, before: Instant, most: number): Promise<readonly Copy[]>
  /** `ciphertextHash` is that of its content. Undefined when there is no such copy. */
  standingOf(location: string, ciphertextHash: Sha256Hex): Promise<CopyStanding | undefined>
  /** Undefined when there is no such copy, or it is not kept. */
  findKept(location: string): Promise<KeptCopy | undefined>
  /** Kept copies that were last read before `before`, those first that were not read for longest, from behind `after` on, `most` at the most. */
  listToScrub(range: {
    readonly before: Instant
    readonly after: Pick<KeptCopy, 'checkedAt' | 'location'> | undefined
    readonly most: number
  }): Promise<readonly KeptCopy[]>
  /** `uploadId` is that of the session that brought it. */
  ownerOf(location: string, uploadId: UploadId): Promise<CopyOwner | undefined>
}

/** A marked copy that has waited, with what its location says of it. */
export interface DoomedCopy {
  readonly location: string
  readonly uploadId: UploadId
  readonly ciphertextHash: Sha256Hex
  /** It has to be marked since before. */
  readonly before: Instant
  readonly at: Instant
}

export interface CopyWrites {
  insert(copy: Copy): Promise<void>
  /** False, and nothing changed, when it is not in `from`. */
  move(
    location: string,
    step: { readonly from: CopyState; readonly to: CopyState; readonly at: Instant },
  ): Promise<boolean>
  /**
   * From marked to doomed, in one statement. False, and nothing changed, when it is not marked for that long, when a blob of an asset, a drop or a
   * session that has not closed names it, or when its content is held.
   */
  doom(copy: DoomedCopy): Promise<boolean>
  /** Notes that its bytes were read and are wrong or missing; when they were first found so stays. False, and nothing changed, when it is not kept any more. */
  markDamaged(location: string, at: Instant): Promise<boolean>
  /** Notes that its bytes were read whole and are right, whatever was found before. False, and nothing changed, when it is not kept any more. */
  noteIntact(location: string, at: Instant): Promise<boolean>
  /** Forgets a copy whose bytes have been removed. */
  remove(location: string): Promise<void>
}
