/** Parts of objects in a store with keys, from before their first byte until their keys are empty for good. */
import type { Instant, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import { given, inner, later, made } from '../columns.ts'

/**
 * writing: bytes may arrive at the key · kept: the bytes of its object lie there · deleting: they do not count any
 * more. A part keeps its row while bytes may be at its key, so its row outlives its session.
 */
export type PartState = 'writing' | 'kept' | 'deleting'

export const parts = {
  key: given<string>(),
  uploadId: inner(given<UploadId>()),
  state: inner(given<PartState>()),
  /** This and the next two are set when it is kept. */
  offset: later<number>(),
  length: later<number>(),
  checksum: later<Sha256Hex>(),
  /** When something is to happen with it. Absent while it is kept. */
  due: inner(later<Instant>()),
  /** Whether its bytes were removed once. */
  isRemoved: inner(made<0 | 1>()),
}
