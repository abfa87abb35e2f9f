import type { AccountId, AlbumId, Instant, Jti, SessionId } from '@blindkeep/protocol/ids'
import type { Kysely } from 'kysely'
import type { Db } from './db.ts'
import { pagesOf } from './pages.ts'
import { all, count, first, inserts, runs } from './statements.ts'
import type { RevokedCapability } from './tables/capabilities.ts'
import { columnsOf, type Tables } from './tables.ts'

const countOfAccount = first((db, accountId: AccountId, at: Instant, sessionId: SessionId | undefined) =>
  db
    .selectFrom('capabilities')
    .select((capability) => [
      capability.fn.countAll<number>().as('all'),
      capability.fn.count<number>('revokedAt').as('revoked'),
      capability.fn
        .countAll<number>()
        .filterWhere('sessionId', '=', sessionId ?? null)
        .as('ofSession'),
    ])
    .where('accountId', '=', accountId)
    .where('expiresAt', '>', at),
)

const revokedOnes = (db: Kysely<Tables>, at: Instant, max: number) =>
  db
    .selectFrom('capabilities')
    .select(['jti', 'expiresAt'])
    .where('revokedAt', 'is not', null)
    .where('expiresAt', '>', at)
    .orderBy('expiresAt')
    .orderBy('jti')
    .limit(max)

const firstRevoked = all(revokedOnes)

const nextRevoked = all((db, at: Instant, max: number, after: RevokedCapability) =>
  revokedOnes(db, at, max).where(({ eb, refTuple, tuple }) =>
    eb(refTuple('expiresAt', 'jti'), '>', tuple(after.expiresAt, after.jti)),
  ),
)

const markOfRevoked = first((db, at: Instant) =>
  db
    .selectFrom('capabilities')
    .select((capability) => [
      capability.fn.countAll<number>().as('count'),
      capability.fn.sum<number | null>('capabilitySeq').as('sum'),
    ])
    .where('revokedAt', 'is not', null)
    .where('expiresAt', '>', at),
)

/** The live ones of an album. */
export interface LiveOfAlbum {
  readonly albumId: AlbumId
  readonly at: Instant
}

const list = pagesOf({
  by: { seq: 'capabilitySeq' },
  rows: (db, { albumId, at }: LiveOfAlbum) =>
    db
      .selectFrom('capabilities')
      .select(columnsOf('capabilities'))
      .where('albumId', '=', albumId)
      .where('expiresAt', '>', at)
      .where('revokedAt', 'is', null),
  entry: (db, { albumId }: LiveOfAlbum, jti: Jti) =>
    db.selectFrom('capabilities').where('jti', '=', jti).where('albumId', '=', albumId),
})

/** A capability ends at its `expiresAt`. It is live until then, unless it was revoked. */
export const capabilityReads = {
  page: list.page,
  /** Of a revoked one too, until it is removed. */
  placeOf: list.placeOf,
  /** How many have not ended at `at`: the live ones, all with revoked ones, and all that this session asked for. */
  async count(db: Db, accountId: AccountId, at: Instant, sessionId?: SessionId) {
    const { all = 0, revoked = 0, ofSession = 0 } = (await countOfAccount(db, accountId, at, sessionId)) ?? {}
    return { live: all - revoked, all, ofSession }
  },
  /** How many of all accounts have not ended at `at`, revoked ones too; it counts up to `max`. */
  countAll: count((db, at: Instant, max: number) =>
    db
      .selectFrom((from) =>
        from.selectFrom('capabilities').select('expiresAt').where('expiresAt', '>', at).limit(max).as('counted'),
      )
      .select((counted) => counted.fn.countAll<number>().as('count')),
  ),
  /** At most `max` revoked ones that have not ended at `at`, by their ends: the first, or those after one. */
  revoked(
    db: Db,
    at: Instant,
    { after, max }: { readonly after?: RevokedCapability | undefined; readonly max: number },
  ): Promise<readonly RevokedCapability[]> {
    return after === undefined ? firstRevoked(db, at, max) : nextRevoked(db, at, max, after)
  },
  /** Another text when `revoked` has others than before. One short answer, however long that list is. */
  async revokedMark(db: Db, at: Instant): Promise<string> {
    const { count = 0, sum = 0 } = (await markOfRevoked(db, at)) ?? {}
    return `${count} ${sum}`
  },
}

export const capabilityWrites = {
  insert: inserts('capabilities'),
  /** Changes nothing if the album has no such capability, or it was revoked before. */
  revoke: runs((db, jti: Jti, albumId: AlbumId, at: Instant) =>
    db
      .updateTable('capabilities')
      .set({ revokedAt: at })
      .where('jti', '=', jti)
      .where('albumId', '=', albumId)
      .where('revokedAt', 'is', null),
  ),
  /** Revokes all that are live at `at` of an album. */
  revokeOf: runs((db, albumId: AlbumId, at: Instant) =>
    db
      .updateTable('capabilities')
      .set({ revokedAt: at })
      .where('albumId', '=', albumId)
      .where('expiresAt', '>', at)
      .where('revokedAt', 'is', null),
  ),
  /** Revokes all that are live at `at`, of every account. */
  revokeAll: runs((db, at: Instant) =>
    db.updateTable('capabilities').set({ revokedAt: at }).where('expiresAt', '>', at).where('revokedAt', 'is', null),
  ),
  /** Removes at most `max` that have ended at `at`. */
  prune: runs((db, at: Instant, max: number) =>
    db
      .deleteFrom('capabilities')
      .where('capabilitySeq', 'in', (capability) =>
        capability
          .selectFrom('capabilities')
          .select('capabilitySeq')
          .where('expiresAt', '<=', at)
          .orderBy('expiresAt')
          .limit(max),
      ),
  ),
}
