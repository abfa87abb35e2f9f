/** The parts of objects in a store with keys, from before their first byte until their keys are empty for good. A store without keys has none. */
import type { Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { PlacedPart } from '../parts.ts'

/**
 * writing: bytes may arrive at the key · kept: the bytes of its object lie there · deleting: they do not count any more. A part keeps its row while bytes may be
 * at its key, so its row outlives its session.
 */
export type PartState = 'writing' | 'kept' | 'deleting'

export interface KeptPart extends PlacedPart {
  readonly checksum: Sha256Hex
}

/** A part that something is to happen with: it was written for too long, or its bytes are to be removed. */
export interface DuePart {
  readonly key: string
  readonly state: 'writing' | 'deleting'
  /** Whether its bytes were removed once. */
  readonly isRemoved: boolean
}

export interface NewPart {
  readonly key: string
  readonly uploadId: UploadId
  /** From then on it counts as given up. */
  readonly until: Instant
}

/** Several kept parts that lie behind each other, and the one that takes their place. */
export interface JoinedPart {
  readonly uploadId: UploadId
  readonly joined: KeptPart
  /** The keys that it replaces. */
  readonly replaced: readonly string[]
  /** When their bytes may be removed: readers may still be at them. */
  readonly removeFrom: Instant
}

export interface PartReads {
  /** The kept parts of an object, by the session that brought it, in the order of their offsets. */
  keptOf(uploadId: UploadId): Promise<readonly KeptPart[]>
  /** At most `max` parts that are due at `now`, the longest due first. */
  due(now: Instant, max: number): Promise<readonly DuePart[]>
  /** Sessions whose kept, undamaged object has several parts: at most `max`, in the order of their ids, from the first one after `after`. */
  toJoin(after: UploadId | undefined, max: number): Promise<readonly UploadId[]>
  /** Whether a part has this key. */
  isKnown(key: string): Promise<boolean>
}

export interface PartWrites {
  /**
   * Records a chunk's part before its first byte. False, and nothing changed, if the session is not open, or `max` of its parts are being written. Each of several
   * transactions at once may add one beyond that.
   */
  begin(part: NewPart, max: number): Promise<boolean>
  /** Records the part that shall join others. False, and nothing changed, if another one is being written for this object, or the object is not kept. */
  beginJoining(part: NewPart & { readonly location: string }): Promise<boolean>
  /** Gives a part more time. False if it is not being written any more. */
  extend(key: string, until: Instant): Promise<boolean>
  /**
   * Keeps the joined part and releases the ones that it replaces. False if it is not being written, or one of them is not kept any more: then the transaction must
   * not commit.
   */
  join(joined: JoinedPart): Promise<boolean>
  /** Releases a part that is being written. False, and nothing changed, if it is not: it may be kept by now. */
  giveUp(key: string, at: Instant): Promise<boolean>
  /** Releases the kept parts of an object whose row goes. */
  releaseKept(uploadId: UploadId, removeFrom: Instant): Promise<void>
  /** Records that the bytes at a deleting key were removed. They are to be removed once more at `again`: a stopped process may still have been writing. */
  noteRemoved(key: string, again: Instant): Promise<void>
  /** Removes the row of a part whose bytes were removed twice. */
  remove(key: string): Promise<void>
}
