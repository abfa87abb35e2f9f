/** What an account discarded or deleted, and may restore while its bytes are there. */
import type { AccountId, AlbumId, BinId, Instant, OpaqueId } from '@blindkeep/protocol/ids'
import { given, givenJson, optional, type Row, sequence } from '../columns.ts'
import type { AdoptedDrop, AssetBlob, CreatedAsset } from './assets.ts'
import type { Drop } from './drops.ts'

/** The rows that have left their tables. A key is base64, as JSON has no bytes. */
export type RemovedRows =
  | { readonly drop: InJson<Drop>; readonly asset?: undefined }
  | {
      readonly asset: Omit<CreatedAsset, 'drop'> & { readonly drop: InJson<AdoptedDrop> | undefined }
      readonly blobs: readonly AssetBlob[]
      readonly drop?: undefined
    }

type InJson<Keyed> = Omit<Keyed, 'kemCt'> & { readonly kemCt: string }

export const bin = {
  /** The order of the deletions. */
  binSeq: sequence(),
  accountId: given<AccountId>(),
  /** The drop or the asset. */
  entryId: given<BinId>(),
  /** Bytes that are charged to the account for it. */
  size: given<number>(),
  deletedAt: given<Instant>(),
  /** Of a drop. */
  opaqueId: optional<OpaqueId>(),
  /** Of an asset. */
  albumId: optional<AlbumId>(),
  removed: givenJson<RemovedRows>(),
}

export type BinRow = Row<typeof bin>
