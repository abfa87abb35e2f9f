import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { Selectable } from 'kysely'
import type { Invite, InviteReads, InviteWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { InviteTable } from './schema.ts'

const byHash = prepared((db, given: { readonly codeHash: string }) =>
  db.selectFrom('invites').select(columnsOf('invites')).where('code_hash', '=', given.codeHash),
)

const byAge = prepared((db, given: { readonly max: number }) =>
  db.selectFrom('invites').select(columnsOf('invites')).orderBy('created_at').orderBy('code_hash').limit(given.max),
)

const anyLive = prepared((db, given: { readonly at: Instant }) =>
  db.selectFrom('invites').select('code_hash').where('expires_at', '>', given.at).where('used_by', 'is', null).limit(1),
)

const insertion = prepared((db, given: Pick<Invite, 'codeHash' | 'createdAt' | 'expiresAt'>) =>
  db.insertInto('invites').values({
    code_hash: given.codeHash,
    created_at: given.createdAt,
    expires_at: given.expiresAt,
  }),
)

const onlyUse = prepared(
  (db, given: { readonly codeHash: string; readonly accountId: AccountId; readonly at: Instant }) =>
    db
      .updateTable('invites')
      .set({ used_by: given.accountId })
      .where('code_hash', '=', given.codeHash)
      .where('used_by', 'is', null)
      .where('expires_at', '>', given.at),
)

const removalOfUnused = prepared((db, given: { readonly codeHash: string }) =>
  db.deleteFrom('invites').where('code_hash', '=', given.codeHash).where('used_by', 'is', null),
)

const removalOfExpired = prepared((db, given: { readonly before: Instant; readonly max: number }) =>
  db
    .deleteFrom('invites')
    .where('code_hash', 'in', (invite) =>
      invite
        .selectFrom('invites')
        .select('code_hash')
        .where('expires_at', '<', given.before)
        .orderBy('expires_at')
        .limit(given.max),
    ),
)

export function inviteReads(db: Db): InviteReads {
  return {
    async find(codeHash) {
      const row = await byHash.first(db, { codeHash })
      return row && inviteOf(row)
    },
    async list(max) {
      return (await byAge.all(db, { max })).map(inviteOf)
    },
    async hasLive(at) {
      return (await anyLive.first(db, { at })) !== undefined
    },
  }
}

export function inviteWrites(db: Db): InviteWrites {
  return {
    async insert(invite) {
      await insertion.changed(db, invite)
    },
    async use(codeHash, accountId, at) {
      return (await onlyUse.changed(db, { codeHash, accountId, at })) === 1
    },
    async revoke(codeHash) {
      return (await removalOfUnused.changed(db, { codeHash })) === 1
    },
    async prune(before, max) {
      await removalOfExpired.changed(db, { before, max })
    },
  }
}

function inviteOf(row: Selectable<InviteTable>): Invite {
  return {
    codeHash: row.code_hash,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedBy: row.used_by ?? undefined,
  }
}
