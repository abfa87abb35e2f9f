import type { AccountId, DropId, Instant, OpaqueId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import { given, inner, later, optional, type Row, sequence } from '../columns.ts'

export const drops = {
  /** The order of landing. */
  dropSeq: sequence(),
  dropId: given<DropId>(),
  accountId: given<AccountId>(),
  opaqueId: given<OpaqueId>(),
  uploadId: given<UploadId>(),
  ciphertextHash: given<Sha256Hex>(),
  size: given<number>(),
  contentType: given<string>(),
  kemCt: given<Uint8Array>(),
  suggestedFilename: optional<string>(),
  location: given<string>(),
  receivedAt: given<Instant>(),
  /** Until when an adoption claims the row. A drop whose lease has run out still shows `adopting`. */
  leasedUntil: optional<Instant>(),
  /** A UUID, new for each claim. This and the next are set while the drop is claimed. */
  claimId: inner(later<string>()),
  /** SHA-256 of the request. */
  claimHash: inner(later<string>()),
  /** The process that made the last claim. */
  claimedBy: inner(later<string>()),
}

export type Drop = Row<typeof drops>
