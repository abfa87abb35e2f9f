import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { all, changesOne } from '../statements.ts'
import type { AuditedLink } from './audited.ts'

/** Sums the sessions of all links at once: a question per link would read all sessions each time. */
const page = all((db, after: number, max: number) =>
  db
    .with('unclosed', (from) =>
      from
        .selectFrom('uploads')
        .select(['opaqueId', (each) => each.fn.countAll<number>().as('sessions')])
        .select([
          sql<number>`sum(size)`.as('bytes'),
          sql<number>`count(*) filter (where state = 'open')`.as('open'),
          (each) =>
            each.fn.min(each.case().when('state', '=', 'finishing').then(each.ref('uploadId')).end()).as('finishing'),
        ])
        .where('closedAt', 'is', null)
        .where('opaqueId', 'is not', null)
        .groupBy('opaqueId'),
    )
    .with('landed', (from) =>
      from
        .selectFrom('uploads')
        .select(['opaqueId', (each) => each.fn.countAll<number>().as('files'), sql<number>`sum(size)`.as('bytes')])
        .where('state', '=', 'landed')
        .where('opaqueId', 'is not', null)
        .groupBy('opaqueId'),
    )
    .selectFrom('links')
    .leftJoin('unclosed', 'unclosed.opaqueId', 'links.opaqueId')
    .leftJoin('landed', 'landed.opaqueId', 'links.opaqueId')
    .select(['linkSeq', 'accountId', 'createdAt', 'maxFileCount', 'maxFileSize', 'maxTotalBytes', 'singleUse'])
    .select(['revokedAt', 'spentAt', 'claimedBy', 'landedFiles', 'landedBytes', 'openSessions', 'openBytes'])
    .select(['unclosed.sessions', 'unclosed.bytes', 'unclosed.open', 'unclosed.finishing'])
    .select(['landed.files as seenFiles', 'landed.bytes as seenBytes'])
    .select([
      sql<number>`(select count(*) from drops where drops.opaque_id = links.opaque_id)`.as('pendingFiles'),
      sql<number>`(select coalesce(sum(size), 0) from drops where drops.opaque_id = links.opaque_id)`.as(
        'pendingBytes',
      ),
    ])
    .where('linkSeq', '>', after)
    .orderBy('linkSeq')
    .limit(max),
)

export async function auditedLinks(db: Db, after: number, max: number): Promise<readonly AuditedLink[]> {
  return (await page(db, after, max)).map(
    ({ sessions = 0, bytes = 0, open = 0, finishing, seenFiles, seenBytes, pendingFiles, pendingBytes, ...link }) => ({
      ...link,
      unclosed: { sessions, bytes, open, finishing },
      seen: { files: seenFiles ?? 0, bytes: seenBytes ?? 0 },
      pending: { files: pendingFiles, bytes: pendingBytes },
    }),
  )
}

const openSessions = sql<number>`(
  select count(*) from uploads where uploads.opaque_id = links.opaque_id and uploads.closed_at is null
)`
const openBytes = sql<number>`(
  select coalesce(sum(size), 0) from uploads where uploads.opaque_id = links.opaque_id and uploads.closed_at is null
)`

export const recountOpen = changesOne((db, linkSeq: number) =>
  db
    .updateTable('links')
    .set({ openSessions, openBytes })
    .where('linkSeq', '=', linkSeq)
    .where((link) => link.or([link('openSessions', '<>', openSessions), link('openBytes', '<>', openBytes)])),
)
