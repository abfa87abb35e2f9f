import { linkCapsOf } from '@blindkeep/protocol/schemas/links'
import { sql } from 'kysely'
import type { AuditedLink, AuditWrites } from '../../../ports/store.ts'
import { columnsOf } from '../columns.ts'
import type { Db } from '../db.ts'
import { linkUseOf } from '../links.ts'
import { prepared } from '../prepared.ts'

/** Sums the sessions of all links at once: a question per link would read all sessions each time. */
const page = prepared((db, given: { readonly after: number; readonly max: number }) =>
  db
    .with('unclosed', (from) =>
      from
        .selectFrom('uploads')
        .select(['opaque_id', (each) => each.fn.countAll<number>().as('sessions')])
        .select([
          sql<number>`sum(size)`.as('bytes'),
          sql<number>`count(*) filter (where state = 'open')`.as('open'),
          (each) =>
            each.fn.min(each.case().when('state', '=', 'finishing').then(each.ref('upload_id')).end()).as('finishing'),
        ])
        .where('closed_at', 'is', null)
        .where('opaque_id', 'is not', null)
        .groupBy('opaque_id'),
    )
    .with('landed', (from) =>
      from
        .selectFrom('uploads')
        .select(['opaque_id', (each) => each.fn.countAll<number>().as('files'), sql<number>`sum(size)`.as('bytes')])
        .where('state', '=', 'landed')
        .where('opaque_id', 'is not', null)
        .groupBy('opaque_id'),
    )
    .selectFrom('links')
    .leftJoin('unclosed', 'unclosed.opaque_id', 'links.opaque_id')
    .leftJoin('landed', 'landed.opaque_id', 'links.opaque_id')
    .select(columnsOf('links'))
    .select(['unclosed.sessions', 'unclosed.bytes', 'unclosed.open', 'unclosed.finishing'])
    .select(['landed.files as seen_files', 'landed.bytes as seen_bytes'])
    .select([
      sql<number>`(select count(*) from drops where drops.opaque_id = links.opaque_id)`.as('pending_files'),
      sql<number>`(select coalesce(sum(size), 0) from drops where drops.opaque_id = links.opaque_id)`.as(
        'pending_bytes',
      ),
    ])
    .where('link_seq', '>', given.after)
    .orderBy('link_seq')
    .limit(given.max),
)

const openSessions = sql<number>`(
  select count(*) from uploads where uploads.opaque_id = links.opaque_id and uploads.closed_at is null
)`
const openBytes = sql<number>`(
  select coalesce(sum(size), 0) from uploads where uploads.opaque_id = links.opaque_id and uploads.closed_at is null
)`

const recounting = prepared((db, given: { readonly linkSeq: number }) =>
  db
    .updateTable('links')
    .set({ open_sessions: openSessions, open_bytes: openBytes })
    .where('link_seq', '=', given.linkSeq)
    .where((link) => link.or([link('open_sessions', '<>', openSessions), link('open_bytes', '<>', openBytes)])),
)

export async function auditedLinks(db: Db, after: number, max: number): Promise<readonly AuditedLink[]> {
  const rows = await page.all(db, { after, max })
  return rows.map((row) => ({
    linkSeq: row.link_seq,
    accountId: row.account_id,
    createdAt: row.created_at,
    ...linkCapsOf(row),
    singleUse: row.single_use === 1,
    ...linkUseOf(row),
    unclosed: {
      sessions: row.sessions ?? 0,
      bytes: row.bytes ?? 0,
      open: row.open ?? 0,
      finishing: row.finishing ?? undefined,
    },
    seen: { files: row.seen_files ?? 0, bytes: row.seen_bytes ?? 0 },
    pending: { files: row.pending_files, bytes: row.pending_bytes },
  }))
}

export function linkWrites(db: Db): Pick<AuditWrites, 'recountOpen'> {
  return {
    async recountOpen(linkSeq) {
      return (await recounting.changed(db, { linkSeq })) === 1
    },
  }
}
