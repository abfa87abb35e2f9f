import type { AccountId, AlbumId, Instant, Jti, SessionId } from '@blindkeep/protocol/ids'
import type { Kysely, Selectable } from 'kysely'
import type { Capability, CapabilityReads, CapabilityWrites, RevokedCapability } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { CapabilityTable, Schema } from './schema.ts'

const live = prepared((db, given: { readonly albumId: AlbumId; readonly at: Instant }) =>
  db
    .selectFrom('capabilities')
    .select(columnsOf('capabilities'))
    .where('album_id', '=', given.albumId)
    .where('expires_at', '>', given.at)
    .where('revoked_at', 'is', null)
    .orderBy('capability_seq'),
)

interface OfAccount {
  readonly accountId: AccountId
  readonly at: Instant
  readonly sessionId: SessionId | null
}

const countOfAccount = prepared((db, given: OfAccount) =>
  db
    .selectFrom('capabilities')
    .select((capability) => [
      capability.fn.countAll<number>().as('all'),
      capability.fn.count<number>('revoked_at').as('revoked'),
      capability.fn.countAll<number>().filterWhere('session_id', '=', given.sessionId).as('ofSession'),
    ])
    .where('account_id', '=', given.accountId)
    .where('expires_at', '>', given.at),
)

const countOfServer = prepared((db, given: { readonly at: Instant; readonly max: number }) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('capabilities')
        .select('expires_at')
        .where('expires_at', '>', given.at)
        .limit(given.max)
        .as('counted'),
    )
    .select((counted) => counted.fn.countAll<number>().as('count')),
)

const revocationOfAlbum = prepared((db, given: { readonly albumId: AlbumId; readonly at: Instant }) =>
  db
    .updateTable('capabilities')
    .set({ revoked_at: given.at })
    .where('album_id', '=', given.albumId)
    .where('expires_at', '>', given.at)
    .where('revoked_at', 'is', null),
)

interface RevokedPage {
  readonly at: Instant
  readonly max: number
}

const revokedOnes = (db: Kysely<Schema>, given: RevokedPage) =>
  db
    .selectFrom('capabilities')
    .select(['jti', 'expires_at'])
    .where('revoked_at', 'is not', null)
    .where('expires_at', '>', given.at)
    .orderBy('expires_at')
    .orderBy('jti')
    .limit(given.max)

const firstRevoked = prepared(revokedOnes)

const nextRevoked = prepared((db, given: RevokedPage & RevokedCapability) =>
  revokedOnes(db, given).where(({ eb, refTuple, tuple }) =>
    eb(refTuple('expires_at', 'jti'), '>', tuple(given.expiresAt, given.jti)),
  ),
)

const markOfRevoked = prepared((db, given: { readonly at: Instant }) =>
  db
    .selectFrom('capabilities')
    .select((capability) => [
      capability.fn.countAll<number>().as('count'),
      capability.fn.sum<number | null>('capability_seq').as('sum'),
    ])
    .where('revoked_at', 'is not', null)
    .where('expires_at', '>', given.at),
)

const insertion = prepared((db, given: Capability) =>
  db.insertInto('capabilities').values({
    jti: given.jti,
    account_id: given.accountId,
    session_id: given.sessionId,
    album_id: given.albumId,
    peer: given.peer,
    issued_at: given.issuedAt,
    expires_at: given.expiresAt,
  }),
)

const revocation = prepared((db, given: { readonly jti: Jti; readonly albumId: AlbumId; readonly at: Instant }) =>
  db
    .updateTable('capabilities')
    .set({ revoked_at: given.at })
    .where('jti', '=', given.jti)
    .where('album_id', '=', given.albumId)
    .where('revoked_at', 'is', null),
)

const revocationOfAll = prepared((db, given: { readonly at: Instant }) =>
  db
    .updateTable('capabilities')
    .set({ revoked_at: given.at })
    .where('expires_at', '>', given.at)
    .where('revoked_at', 'is', null),
)

const removalOfEnded = prepared((db, given: { readonly at: Instant; readonly max: number }) =>
  db
    .deleteFrom('capabilities')
    .where('capability_seq', 'in', (capability) =>
      capability
        .selectFrom('capabilities')
        .select('capability_seq')
        .where('expires_at', '<=', given.at)
        .orderBy('expires_at')
        .limit(given.max),
    ),
)

export function capabilityReads(db: Db): CapabilityReads {
  return {
    async liveOf(albumId, at) {
      return (await live.all(db, { albumId, at })).map(capabilityOf)
    },
    async count(accountId, at, sessionId) {
      const counts = await countOfAccount.first(db, { accountId, at, sessionId: sessionId ?? null })
      const { all, revoked, ofSession } = counts ?? { all: 0, revoked: 0, ofSession: 0 }
      return { live: all - revoked, all, ofSession }
    },
    async countAll(at, max) {
      return (await countOfServer.first(db, { at, max }))?.count ?? 0
    },
    async revoked(at, { after, max }) {
      const asked = { at, max }
      const rows = await (after === undefined
        ? firstRevoked.all(db, asked)
        : nextRevoked.all(db, { ...asked, ...after }))
      return rows.map(({ jti, expires_at }) => ({ jti, expiresAt: expires_at }))
    },
    async revokedMark(at) {
      const { count, sum } = (await markOfRevoked.first(db, { at })) ?? { count: 0, sum: null }
      return `${count} ${sum ?? 0}`
    },
  }
}

export function capabilityWrites(db: Db): CapabilityWrites {
  return {
    async insert(capability) {
      await insertion.changed(db, capability)
    },
    async revoke(jti, albumId, at) {
      await revocation.changed(db, { jti, albumId, at })
    },
    async revokeOf(albumId, at) {
      await revocationOfAlbum.changed(db, { albumId, at })
    },
    async revokeAll(at) {
      await revocationOfAll.changed(db, { at })
    },
    async prune(at, max) {
      await removalOfEnded.changed(db, { at, max })
    },
  }
}

function capabilityOf(row: Selectable<CapabilityTable>): Capability {
  return {
    jti: row.jti,
    accountId: row.account_id,
    sessionId: row.session_id ?? undefined,
    albumId: row.album_id,
    peer: row.peer,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
  }
}
