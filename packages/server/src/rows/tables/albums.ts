import type { AccountId, AlbumId, Instant } from '@blindkeep/protocol/ids'
import { given, inner, later, optional, type Row, sequence } from '../columns.ts'

export const albums = {
  /** The order in which they were created. */
  albumSeq: sequence(),
  albumId: given<AlbumId>(),
  accountId: given<AccountId>(),
  sealedName: optional<Uint8Array>(),
  createdAt: given<Instant>(),
  /** From then on the row only keeps the id, to which deleted assets refer, and the name while one is in the bin. */
  deletedAt: inner(later<Instant>()),
}

export type Album = Row<typeof albums>
