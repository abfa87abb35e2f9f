import type { Dialect } from '../../../rows/dialects.ts'

/** As in `domain/ground/bounds.ts` when this was written: an account that has more keeps those that were added last. */
const MAX_ENDED_LINKS = 2000
const MAX_UNUSED_DEVICES = 100

/** Bounds on what an account leaves behind, and the end of an album. */
export const seventhTables = (dialect: Dialect): readonly string[] => [
  ...endOfAlbums(dialect),
  ...endedLinks(dialect),
  revokedDevices(dialect),
  // What did not land is removed after a day, and what did after a month.
  `create index uploads_unlanded on uploads (closed_at) where state in ('ended', 'failed')`,
]

/** Whether an album is empty: one with a million deleted files is. */
const endOfAlbums = ({ integer }: Dialect) => [
  `alter table albums add column deleted_at ${integer}`,
  'create index albums_live on albums (account_id, created_at, album_seq) where deleted_at is null',
  'create index if not exists assets_of_album on assets (album_id) where deleted_at is null',
]

const endedLinks = ({ integer }: Dialect) => [
  `alter table links add column is_buried ${integer} not null default 0 check (is_buried in (0, 1))`,
  `update links set is_buried = 1, verifier_hash = null, sealed_label = null, sealed_title = null
    where link_seq in (
      select link_seq from (
        select link_seq, row_number() over (partition by account_id order by created_at desc, link_seq desc) as place
        from links
        where (revoked_at is not null or spent_at is not null) and open_sessions = 0
      ) as ended
      where place > ${MAX_ENDED_LINKS}
    ) and not exists (select 1 from drops where drops.opaque_id = links.opaque_id)`,
  'create index links_listed on links (account_id, created_at, link_seq) where is_buried = 0',
]

/** The manifests of present files are still judged by the keys of their devices. */
const revokedDevices = ({ memberOf }: Dialect) =>
  `delete from devices where device_seq in (
    select device_seq from (
      select device_seq, row_number() over (partition by account_id order by revoked_at desc, device_seq desc) as place
      from devices
      where revoked_at is not null
    ) as revoked
    where place > ${MAX_UNUSED_DEVICES}
  ) and device_id not in (select ${memberOf('envelope', 'created_by_device')} from asset_blobs)`
