import { type AccountId, type Instant, type OpaqueId, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { type Kysely, sql } from 'kysely'
import { STANDING } from './accounts.ts'
import type { Db } from './db.ts'
import { pagesOf } from './pages.ts'
import { changesOne, count, first, runs, value, values } from './statements.ts'
import type { AccountStanding } from './tables/accounts.ts'
import type { NewShare, Share, ShareContents, ShareNotes, ShareVisits } from './tables/shares.ts'
import { columnsOf, newRow, type Tables } from './tables.ts'

const HASH_BYTES = 32

const withVerifier = (db: Kysely<Tables>) =>
  db
    .selectFrom('shares')
    .leftJoin('shareNotes', 'shareNotes.opaqueId', 'shares.opaqueId')
    .select(columnsOf('shares'))
    .select('shareNotes.verifierHash')

const find = first((db, opaqueId: OpaqueId) => withVerifier(db).where('shares.opaqueId', '=', opaqueId))

/** Always finds a row, if there is any: otherwise an unknown id would answer sooner than a dead share's. */
const withOwnerOrAny = first((db, opaqueId: OpaqueId) =>
  withVerifier(db)
    .innerJoin('accounts', 'accounts.accountId', 'shares.accountId')
    .select(STANDING)
    .where('shares.opaqueId', '=', (share) =>
      share.fn.coalesce(
        share.selectFrom('shares as asked').select('asked.opaqueId').where('asked.opaqueId', '=', opaqueId),
        share.selectFrom('shares as any').select(({ fn }) => fn.min('any.opaqueId').as('lowest')),
      ),
    ),
)

const contents = first((db, opaqueId: OpaqueId) =>
  db.selectFrom('shares').select(['blobHashes', 'sealedIndex']).where('opaqueId', '=', opaqueId),
)

const hashesOf = value((db, opaqueId: OpaqueId) =>
  db.selectFrom('shares').select('blobHashes').where('opaqueId', '=', opaqueId),
)

const notesOf = first((db, opaqueId: OpaqueId) =>
  db.selectFrom('shareNotes').select(columnsOf('shareNotes')).where('opaqueId', '=', opaqueId),
)

const visitsOf = first((db, opaqueId: OpaqueId) =>
  db.selectFrom('shareVisits').select(columnsOf('shareVisits')).where('opaqueId', '=', opaqueId),
)

const list = pagesOf({
  by: { time: 'createdAt', seq: 'shareSeq' },
  rows: (db, accountId: AccountId) =>
    withVerifier(db)
      .leftJoin('shareVisits', 'shareVisits.opaqueId', 'shares.opaqueId')
      .select(columnsOf('shareNotes'))
      .select(['opened', 'downloaded', 'lastAt', 'maxDownloads'])
      .where('accountId', '=', accountId)
      .where('endedAt', 'is', null),
  entry: (db, accountId: AccountId, opaqueId: OpaqueId) =>
    db.selectFrom('shares').where('opaqueId', '=', opaqueId).where('accountId', '=', accountId),
})

export const shareReads = {
  /** In any state. */
  find,
  /** The same. Takes as long for an unknown id: a client that asks for dead ones learns nothing from the time. */
  async findWithOwner(
    db: Db,
    opaqueId: OpaqueId,
  ): Promise<{ readonly share: Share; readonly owner: AccountStanding } | undefined> {
    const row = await withOwnerOrAny(db, opaqueId)
    if (row?.opaqueId !== opaqueId) return undefined
    const { suspendedAt, deletedAt, ...share } = row
    return { share, owner: { suspendedAt, deletedAt } }
  },
  /** Undefined if it has ended or never existed. */
  async contentsOf(db: Db, opaqueId: OpaqueId): Promise<ShareContents | undefined> {
    const { blobHashes, sealedIndex } = (await contents(db, opaqueId)) ?? {}
    return blobHashes && sealedIndex && { sealedIndex, blobHashes: readHashes(blobHashes) }
  },
  /** Both absent if it has none, has ended or never existed. */
  async notesOf(db: Db, opaqueId: OpaqueId): Promise<ShareNotes> {
    return (await notesOf(db, opaqueId)) ?? { sealedName: undefined, sealedRecord: undefined }
  },
  /** Undefined if it has ended or never existed. */
  visitsOf,
  /** Whether the hash is one of its `blobHashes`. False if it has ended. */
  async names(db: Db, opaqueId: OpaqueId, ciphertextHash: Sha256Hex): Promise<boolean> {
    const hashes = await hashesOf(db, opaqueId)
    return hashes !== undefined && hasHash(bufferOf(hashes), ciphertextHash)
  },
  /** Shares that have not ended, expired ones too. */
  page: list.page,
  /** Of an ended one too. */
  placeOf: list.placeOf,
  /** Bytes of indexes and hashes that have not ended. Databases know a value's length without reading it. */
  bytesOf: count((db, accountId: AccountId) =>
    db
      .selectFrom('shares')
      .select(sql<number>`coalesce(sum(length(blob_hashes) + length(sealed_index)), 0)`.as('bytes'))
      .where('accountId', '=', accountId)
      .where('endedAt', 'is', null),
  ),
  /** How many shares all pages have. */
  count: count((db, accountId: AccountId) =>
    db
      .selectFrom('shares')
      .select((share) => share.fn.countAll<number>().as('count'))
      .where('accountId', '=', accountId)
      .where('endedAt', 'is', null),
  ),
}

const someOfAccount = values((db, accountId: AccountId, max: number) =>
  db
    .selectFrom('shares')
    .select('opaqueId')
    .where('accountId', '=', accountId)
    .where('endedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('shareSeq')
    .limit(max),
)

const expired = values((db, before: Instant, max: number) =>
  db
    .selectFrom('shares')
    .select('opaqueId')
    .where('endedAt', 'is', null)
    .where('expiresAt', '<', before)
    .orderBy('expiresAt')
    .limit(max),
)

const insertion = changesOne((db, share: Omit<NewShare, 'blobHashes'>, blobHashes: Uint8Array) =>
  db
    .insertInto('shares')
    .values({ ...newRow('shares', share), blobHashes })
    .onConflict((conflict) => conflict.column('opaqueId').doNothing()),
)

const noting = runs((db, share: Omit<NewShare, 'blobHashes'>) =>
  db.insertInto('shareNotes').values(newRow('shareNotes', share)),
)

const visiting = runs((db, { opaqueId, maxDownloads }: NewShare) =>
  db.insertInto('shareVisits').values({ opaqueId, maxDownloads }),
)

const settingVisits = changesOne((db, opaqueId: OpaqueId, visits: ShareVisits) => {
  const { opened, downloaded, lastAt, maxDownloads, openers, downloaders } = visits
  const values = { opened, downloaded, lastAt, maxDownloads, openers, downloaders }
  return db.updateTable('shareVisits').set(values).where('opaqueId', '=', opaqueId)
})

const removalOfVisits = runs((db, opaqueId: OpaqueId) => db.deleteFrom('shareVisits').where('opaqueId', '=', opaqueId))

const naming = runs((db, opaqueId: OpaqueId, sealedName: Uint8Array | undefined) =>
  db
    .insertInto('shareNotes')
    .values({ opaqueId, sealedName })
    .onConflict((conflict) => conflict.column('opaqueId').doUpdateSet({ sealedName })),
)

const replacing = changesOne((db, opaqueId: OpaqueId, blobHashes: Uint8Array, sealedIndex: Uint8Array) =>
  db
    .updateTable('shares')
    .set({ blobHashes, sealedIndex })
    .where('opaqueId', '=', opaqueId)
    .where('endedAt', 'is', null),
)

const recording = runs((db, opaqueId: OpaqueId, sealedRecord: Uint8Array) =>
  db
    .insertInto('shareNotes')
    .values({ opaqueId, sealedRecord })
    .onConflict((conflict) => conflict.column('opaqueId').doUpdateSet({ sealedRecord })),
)

const removalOfNotes = runs((db, opaqueId: OpaqueId) => db.deleteFrom('shareNotes').where('opaqueId', '=', opaqueId))

const ending = runs((db, opaqueId: OpaqueId, at: Instant) =>
  db
    .updateTable('shares')
    .set({ endedAt: at, blobHashes: null, sealedIndex: null })
    .where('opaqueId', '=', opaqueId)
    .where('endedAt', 'is', null),
)

async function endAll(db: Db, opaqueIds: readonly OpaqueId[], at: Instant): Promise<number> {
  for (const opaqueId of opaqueIds) {
    await ending(db, opaqueId, at)
    await removalOfNotes(db, opaqueId)
    await removalOfVisits(db, opaqueId)
  }
  return opaqueIds.length
}

export const shareWrites = {
  /** False if the id is taken, by any account. */
  async insert(db: Db, share: NewShare): Promise<boolean> {
    if (!(await insertion(db, share, packHashes(share.blobHashes)))) return false
    await visiting(db, share)
    const beside = [share.sealedName, share.sealedRecord, share.verifierHash]
    if (beside.some((value) => value !== undefined)) await noting(db, share)
    return true
  },
  /** Renames a share that has not ended; undefined removes the name. False, and nothing changed, without it. */
  async setName(
    db: Db,
    opaqueId: OpaqueId,
    accountId: AccountId,
    sealedName: Uint8Array | undefined,
  ): Promise<boolean> {
    const share = await find(db, opaqueId)
    if (share?.accountId !== accountId || share.endedAt !== undefined) return false
    await naming(db, opaqueId, sealedName)
    return true
  },
  /** What a share shows from now on, and the record of it. Throws if it has ended or never existed. */
  async setContents(
    db: Db,
    opaqueId: OpaqueId,
    { blobHashes, sealedIndex, sealedRecord }: ShareContents & { readonly sealedRecord: Uint8Array },
  ): Promise<void> {
    if (!(await replacing(db, opaqueId, packHashes(blobHashes), sealedIndex)))
      throw new Error('The contents of a share changed that has ended')
    await recording(db, opaqueId, sealedRecord)
  },
  /** Throws without visits, which a share has until it ends. */
  async setVisits(db: Db, opaqueId: OpaqueId, visits: ShareVisits): Promise<void> {
    if (!(await settingVisits(db, opaqueId, visits))) throw new Error('A share was visited that has ended')
  },
  /**
   * Removes its contents and notes; its id stays taken. No error if the account has no such share, or it ended before.
   */
  async end(db: Db, opaqueId: OpaqueId, accountId: AccountId, at: Instant): Promise<void> {
    if ((await find(db, opaqueId))?.accountId === accountId) await endAll(db, [opaqueId], at)
  },
  /** Ends at most `max` shares of the account. Answers how many. */
  async endSomeOf(db: Db, accountId: AccountId, at: Instant, max: number): Promise<number> {
    return endAll(db, await someOfAccount(db, accountId, max), at)
  },
  /** Ends at most `max` shares that expired before `expiredBefore`. Answers how many. */
  async endExpired(db: Db, expiredBefore: Instant, at: Instant, max: number): Promise<number> {
    return endAll(db, await expired(db, expiredBefore, max), at)
  },
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

const packHashes = (hashes: readonly Sha256Hex[]): Uint8Array => Buffer.from(hashes.join(''), 'hex')

function readHashes(hashes: Uint8Array): readonly Sha256Hex[] {
  const hex = bufferOf(hashes).toString('hex')
  const each = Array.from({ length: hashes.length / HASH_BYTES }, (_, position) =>
    parseSha256Hex(hex.slice(2 * HASH_BYTES * position, 2 * HASH_BYTES * (position + 1))),
  )
  return each.filter((hash) => hash !== undefined)
}

function hasHash(hashes: Buffer, ciphertextHash: Sha256Hex): boolean {
  const wanted = Buffer.from(ciphertextHash, 'hex')
  for (let at = 0; at < hashes.length; at += HASH_BYTES)
    if (hashes[at] === wanted[0] && hashes.compare(wanted, 0, HASH_BYTES, at, at + HASH_BYTES) === 0) return true
  return false
}
