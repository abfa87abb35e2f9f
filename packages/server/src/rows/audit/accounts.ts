import type { AccountId } from '@blindkeep/protocol/ids'
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db.ts'
import { all, changesOne } from '../statements.ts'
import type { AuditedAccount } from './audited.ts'

const ofAccount = (table: 'uploads' | 'drops' | 'asset_blobs' | 'bin') =>
  sql<number>`(select coalesce(sum(held.size), 0) from ${sql.table(table)} as held where held.account_id = accounts.account_id)`
const unclosedBytes = sql<number>`(
  select coalesce(sum(size), 0) from uploads where uploads.account_id = accounts.account_id and uploads.closed_at is null
)`
const dropCount = sql<number>`(select count(*) from drops where drops.account_id = accounts.account_id)`
const highest = (table: 'assets' | 'events') =>
  sql<number>`(
    select coalesce(max(numbered.change_seq), 0) from ${sql.table(table)} as numbered
    where numbered.account_id = accounts.account_id and numbered.change_seq is not null
  )`

const reported = sql<number>`(
  select coalesce(max(coalesce(sending_seq, notified_seq)), 0) from channels where channels.account_id = accounts.account_id
)`

const count = (table: string, condition = 'true') =>
  sql`(select count(*) from ${sql.table(table)} as held where held.account_id = accounts.account_id and ${sql.raw(condition)})`
const isThere = (column: string) => sql`(case when ${sql.ref(column)} is null then 0 else 1 end)`
/** What a link keeps about its owner. An empty key counts as none, because the column must not be null. */
const SECRETS_OF_LINK =
  'held.refusals is not null or held.sealed_label is not null or held.sealed_title is not null or held.verifier_hash is not null or length(held.drop_public_key) > 0'
/** Each counts something that a deleted account must not keep. */
const traces = [
  sql`(case when email = 'deleted:' || account_id then 0 else 1 end)`,
  ...[
    'sign_in_key_hash',
    'salt',
    'sealed_account_key',
    'sealed_recovery_key',
    'recovery_key_hash',
    'recovery_confirmed_at',
    'totp_sealed',
  ].map(isThere),
  count('sessions', '(held.ended_at is null or held.sealed_name is not null)'),
  count('links', `(held.revoked_at is null or ${SECRETS_OF_LINK})`),
  count('albums', 'held.sealed_name is not null'),
  sql`(case when account_id in (select used_by from invites where note is not null) then 1 else 0 end)`,
  count('devices'),
  count('passkeys'),
  count('backup_codes'),
  count('challenges'),
  count('channels'),
]
const liveShares = sql<number>`${count('shares', 'held.ended_at is null')}`
const sharesWithoutVisits = sql<number>`${count(
  'shares',
  'held.ended_at is null and not exists (select 1 from share_visits where share_visits.opaque_id = held.opaque_id)',
)}`
const remains = sql<number>`(case when deleted_at is null then 0 else ${sql.join(traces, sql` + `)} end)`

const page = all((db, after: string, max: number) =>
  db
    .selectFrom('accounts')
    .select(['accountId', 'usedBytes', 'pendingDrops', 'changeSeq', 'deletedAt', 'emptiedAt'])
    .select([
      unclosedBytes.as('unclosedBytes'),
      dropCount.as('drops'),
      ofAccount('drops').as('dropBytes'),
      ofAccount('asset_blobs').as('blobBytes'),
      ofAccount('bin').as('binBytes'),
      highest('assets').as('assetChange'),
      highest('events').as('eventChange'),
      reported.as('reportedChange'),
      remains.as('remains'),
      liveShares.as('liveShares'),
      sharesWithoutVisits.as('sharesWithoutVisits'),
    ])
    .where(sql<SqlBool>`account_id > ${after}`)
    .orderBy('accountId')
    .limit(max),
)

export async function auditedAccounts(db: Db, after: string, max: number): Promise<readonly AuditedAccount[]> {
  return (await page(db, after, max)).map(({ assetChange, eventChange, reportedChange, ...account }) => ({
    ...account,
    highestChange: Math.max(assetChange, eventChange, reportedChange),
  }))
}

const used = sql<number>`${unclosedBytes} + ${ofAccount('drops')} + ${ofAccount('asset_blobs')} + ${ofAccount('bin')}`

export const recountUse = changesOne((db, accountId: AccountId) =>
  db
    .updateTable('accounts')
    .set({ usedBytes: used, pendingDrops: dropCount })
    .where('accountId', '=', accountId)
    .where(sql<SqlBool>`(used_bytes <> ${used} or pending_drops <> ${dropCount})`),
)
