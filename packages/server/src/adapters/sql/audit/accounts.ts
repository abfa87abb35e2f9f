import type { AccountId } from '@blindkeep/protocol/ids'
import { type SqlBool, sql } from 'kysely'
import type { AuditedAccount, AuditWrites } from '../../../ports/store.ts'
import { NO_SECRET } from '../accountDeletions.ts'
import type { Db } from '../db.ts'
import { prepared } from '../prepared.ts'

const ofAccount = (table: 'uploads' | 'drops' | 'asset_blobs') =>
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
  'held.sealed_label is not null or held.sealed_title is not null or held.verifier_hash is not null or length(held.drop_public_key) > 0'
/** Each counts something that a deleted account must not keep. */
const traces = [
  sql`(case when email = 'deleted:' || account_id and secret_hash = ${sql.lit(NO_SECRET)} then 0 else 1 end)`,
  ...['salt', 'sealed_account_key', 'sealed_recovery_key', 'recovery_proof_hash', 'totp_sealed'].map(isThere),
  count('sessions', '(held.ended_at is null or held.sealed_name is not null)'),
  count('links', `(held.revoked_at is null or ${SECRETS_OF_LINK})`),
  count('albums', 'held.sealed_name is not null'),
  count('devices'),
  count('passkeys'),
  count('backup_codes'),
  count('challenges'),
  count('channels'),
]
const liveShares = sql<number>`${count('shares', 'held.ended_at is null')}`
const remains = sql<number>`(case when deleted_at is null then 0 else ${sql.join(traces, sql` + `)} end)`

const page = prepared((db, given: { readonly after: string; readonly max: number }) =>
  db
    .selectFrom('accounts')
    .select(['account_id', 'used_bytes', 'pending_drops', 'change_seq', 'deleted_at', 'emptied_at'])
    .select([
      unclosedBytes.as('unclosed_bytes'),
      dropCount.as('drops'),
      ofAccount('drops').as('drop_bytes'),
      ofAccount('asset_blobs').as('blob_bytes'),
      highest('assets').as('asset_change'),
      highest('events').as('event_change'),
      reported.as('reported_change'),
      remains.as('remains'),
      liveShares.as('live_shares'),
    ])
    .where(sql<SqlBool>`account_id > ${given.after}`)
    .orderBy('account_id')
    .limit(given.max),
)

const used = sql<number>`${unclosedBytes} + ${ofAccount('drops')} + ${ofAccount('asset_blobs')}`

const recounting = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .updateTable('accounts')
    .set({ used_bytes: used, pending_drops: dropCount })
    .where('account_id', '=', given.accountId)
    .where(sql<SqlBool>`(used_bytes <> ${used} or pending_drops <> ${dropCount})`),
)

export async function auditedAccounts(db: Db, after: string, max: number): Promise<readonly AuditedAccount[]> {
  const rows = await page.all(db, { after, max })
  return rows.map((row) => ({
    accountId: row.account_id,
    usedBytes: row.used_bytes,
    pendingDrops: row.pending_drops,
    changeSeq: row.change_seq,
    unclosedBytes: row.unclosed_bytes,
    drops: row.drops,
    dropBytes: row.drop_bytes,
    blobBytes: row.blob_bytes,
    highestChange: Math.max(row.asset_change, row.event_change, row.reported_change),
    deletedAt: row.deleted_at ?? undefined,
    emptiedAt: row.emptied_at ?? undefined,
    remains: row.remains,
    liveShares: row.live_shares,
  }))
}

export function accountWrites(db: Db): Pick<AuditWrites, 'recountUse'> {
  return {
    async recountUse(accountId) {
      return (await recounting.changed(db, { accountId })) === 1
    },
  }
}
