/** The objects in the blob store. Each is recorded here before its first byte is written. */
import type { Instant } from '@blindkeep/protocol/ids'
import { given, inner, later, type Row } from '../columns.ts'

/**
 * staged: an upload session writes it · kept: a receipt vouches for it, and a drop or an asset owns it · orphaned: a
 * receipt vouches for it, and nothing owns it any more · marked: the collector has seen it orphaned, and the grace
 * window runs · deleting: it can be removed at once, because no receipt ever vouched for it or its grace window is
 * over.
 */
export type ObjectState = 'staged' | 'kept' | 'orphaned' | 'marked' | 'deleting'

export const objects = {
  location: given<string>(),
  size: given<number>(),
  state: given<ObjectState>(),
  /** When it took this state. */
  since: given<Instant>(),
  /** When all its bytes were last read, or found missing; of a doubtful one also when they could not be read. */
  checkedAt: inner(given<Instant>()),
  /** When its bytes were found wrong or missing; absent again after they were found right. */
  damagedAt: inner(later<Instant>()),
  /** When a reader first met wrong, missing or unreadable bytes; absent again after the scrubber has read all of it. */
  suspectedAt: inner(later<Instant>()),
}

export type StoredObject = Row<typeof objects>
