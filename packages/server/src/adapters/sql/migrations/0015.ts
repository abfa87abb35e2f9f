import type { Dialect } from '../../../rows/dialects.ts'

/** Metadata that wait for their manifest stand beside the present ones: at most one such blob for each asset. */
export const fifteenthTables = ({ text }: Dialect): readonly string[] => [
  `alter table asset_blobs add column pending_after ${text}`,
  'drop index asset_blobs_one_per_role',
  `create unique index asset_blobs_one_per_role on asset_blobs (asset_id, role)
    where role <> 'derivative' and pending_after is null`,
  'create unique index asset_blobs_pending on asset_blobs (asset_id) where pending_after is not null',
  'create index asset_blobs_pending_since on asset_blobs (landed_at) where pending_after is not null',
]
