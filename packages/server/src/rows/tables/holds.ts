import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import { given, type Row } from '../columns.ts'

/**
 * Contents that the server hands out to no client, although their bytes stay. A hold names a content, not an object: it
 * also covers objects of that content that accounts upload later.
 */
export const holds = {
  ciphertextHash: given<Sha256Hex>(),
  /** The operator's own words. Only the operator's commands show them. */
  reason: given<string>(),
  createdAt: given<Instant>(),
}

export type Hold = Row<typeof holds>
