import { type AccountId, type Instant, type OpaqueId, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { ListedShare, NewShare, Share, ShareNotes, ShareReads, ShareWrites } from '../../ports/store.ts'
import { standingOf } from './accounts.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { Schema, ShareNotesTable, ShareTable } from './schema.ts'

interface Given {
  readonly opaqueId: OpaqueId
}

const HASH_BYTES = 32

/** Without `sealed_index` and `blob_hashes`, which may be long and have their own queries. */
const columns = ['opaque_id', 'account_id', 'created_at', 'expires_at', 'ended_at'] as const

const withNotes = (db: Kysely<Schema>) =>
  db
    .selectFrom('shares')
    .leftJoin('share_notes', 'share_notes.opaque_id', 'shares.opaque_id')
    .select(columns.map((name) => `shares.${name}` as const))
    .select('share_notes.verifier_hash')

const byId = prepared((db, given: Given) => withNotes(db).where('shares.opaque_id', '=', given.opaqueId))

/** Always finds a row, if there is any: otherwise an unknown id would answer some microseconds sooner than that of a dead share. */
const withOwnerOrAny = prepared((db, given: Given) =>
  withNotes(db)
    .innerJoin('accounts', 'accounts.account_id', 'shares.account_id')
    .select(['accounts.suspended_at', 'accounts.deleted_at'])
    .where('shares.opaque_id', '=', (share) =>
      share.fn.coalesce(
        share.selectFrom('shares as asked').select('asked.opaque_id').where('asked.opaque_id', '=', given.opaqueId),
        share.selectFrom('shares as any').select(({ fn }) => fn.min('any.opaque_id').as('lowest')),
      ),
    ),
)

const contents = prepared((db, given: Given) =>
  db.selectFrom('shares').select(['blob_hashes', 'sealed_index']).where('opaque_id', '=', given.opaqueId),
)

const hashesOf = prepared((db, given: Given) =>
  db.selectFrom('shares').select('blob_hashes').where('opaque_id', '=', given.opaqueId),
)

const notes = prepared((db, given: Given) =>
  db.selectFrom('share_notes').select(['sealed_name', 'sealed_record']).where('opaque_id', '=', given.opaqueId),
)

const ofAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  withNotes(db)
    .select(['sealed_name', 'sealed_record'])
    .where('account_id', '=', given.accountId)
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('share_seq'),
)

const countOfAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('shares')
    .select((share) => share.fn.countAll<number>().as('count'))
    .where('account_id', '=', given.accountId)
    .where('ended_at', 'is', null),
)

/** Both databases know the length of a value without reading it. */
const bytesOfAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('shares')
    .select(sql<number>`coalesce(sum(length(blob_hashes) + length(sealed_index)), 0)`.as('bytes'))
    .where('account_id', '=', given.accountId)
    .where('ended_at', 'is', null),
)

const someOfAccount = prepared((db, given: { readonly accountId: AccountId; readonly max: number }) =>
  db
    .selectFrom('shares')
    .select('opaque_id')
    .where('account_id', '=', given.accountId)
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('share_seq')
    .limit(given.max),
)

const expired = prepared((db, given: { readonly before: Instant; readonly max: number }) =>
  db
    .selectFrom('shares')
    .select('opaque_id')
    .where('ended_at', 'is', null)
    .where('expires_at', '<', given.before)
    .orderBy('expires_at')
    .limit(given.max),
)

type Inserted = Omit<NewShare, 'blobHashes'> & { readonly hashes: Uint8Array }

const insertion = prepared((db, given: Inserted) =>
  db
    .insertInto('shares')
    .values({
      opaque_id: given.opaqueId,
      account_id: given.accountId,
      created_at: given.createdAt,
      expires_at: given.expiresAt,
      blob_hashes: given.hashes,
      sealed_index: given.sealedIndex,
    })
    .onConflict((conflict) => conflict.column('opaque_id').doNothing()),
)

const noting = prepared((db, given: Given & ShareNotes & Pick<NewShare, 'verifierHash'>) =>
  db.insertInto('share_notes').values({
    opaque_id: given.opaqueId,
    sealed_name: given.sealedName,
    sealed_record: given.sealedRecord,
    verifier_hash: given.verifierHash,
  }),
)

const naming = prepared((db, given: Given & Pick<ShareNotes, 'sealedName'>) =>
  db
    .insertInto('share_notes')
    .values({ opaque_id: given.opaqueId, sealed_name: given.sealedName })
    .onConflict((conflict) => conflict.column('opaque_id').doUpdateSet({ sealed_name: given.sealedName })),
)

const removalOfNotes = prepared((db, given: Given) =>
  db.deleteFrom('share_notes').where('opaque_id', '=', given.opaqueId),
)

const ending = prepared((db, given: Given & { readonly at: Instant }) =>
  db
    .updateTable('shares')
    .set({ ended_at: given.at, blob_hashes: null, sealed_index: null })
    .where('opaque_id', '=', given.opaqueId)
    .where('ended_at', 'is', null),
)

export function shareReads(db: Db): ShareReads {
  return {
    async find(opaqueId) {
      const row = await byId.first(db, { opaqueId })
      return row && shareOf(row)
    },
    async findWithOwner(opaqueId) {
      const row = await withOwnerOrAny.first(db, { opaqueId })
      const found = row && { share: shareOf(row), owner: standingOf(row) }
      return found?.share.opaqueId === opaqueId ? found : undefined
    },
    async contentsOf(opaqueId) {
      const { blob_hashes: hashes, sealed_index: sealedIndex } = (await contents.first(db, { opaqueId })) ?? {}
      if (hashes == null || sealedIndex == null) return undefined
      return { sealedIndex, blobHashes: readHashes(hashes) }
    },
    async notesOf(opaqueId) {
      return notesOf(await notes.first(db, { opaqueId }))
    },
    async names(opaqueId, ciphertextHash) {
      const hashes = (await hashesOf.first(db, { opaqueId }))?.blob_hashes
      return hashes != null && hasHash(Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length), ciphertextHash)
    },
    async listOf(accountId) {
      return (await ofAccount.all(db, { accountId })).map((row): ListedShare => ({ ...shareOf(row), ...notesOf(row) }))
    },
    async bytesOf(accountId) {
      return (await bytesOfAccount.first(db, { accountId }))?.bytes ?? 0
    },
    async count(accountId) {
      return (await countOfAccount.first(db, { accountId }))?.count ?? 0
    },
  }
}

export function shareWrites(db: Db): ShareWrites {
  async function end(opaqueId: OpaqueId, at: Instant): Promise<void> {
    await ending.changed(db, { opaqueId, at })
    await removalOfNotes.changed(db, { opaqueId })
  }

  async function endAll(rows: readonly Given[], at: Instant): Promise<number> {
    for (const { opaqueId } of rows) await end(opaqueId, at)
    return rows.length
  }

  return {
    async insert(share) {
      const hashes = Buffer.from(share.blobHashes.join(''), 'hex')
      if ((await insertion.changed(db, { ...share, hashes })) === 0) return false
      const beside = [share.sealedName, share.sealedRecord, share.verifierHash]
      if (beside.some((value) => value !== undefined)) await noting.changed(db, share)
      return true
    },
    async setName(opaqueId, accountId, sealedName) {
      const share = await byId.first(db, { opaqueId })
      if (share?.account_id !== accountId || share.ended_at !== null) return false
      await naming.changed(db, { opaqueId, sealedName })
      return true
    },
    async end(opaqueId, accountId, at) {
      if ((await byId.first(db, { opaqueId }))?.account_id === accountId) await end(opaqueId, at)
    },
    async endSomeOf(accountId, at, max) {
      const rows = await someOfAccount.all(db, { accountId, max })
      return endAll(rows.map(opaqueIdOf), at)
    },
    async endExpired(expiredBefore, at, max) {
      const rows = await expired.all(db, { before: expiredBefore, max })
      return endAll(rows.map(opaqueIdOf), at)
    },
  }
}

function readHashes(hashes: Uint8Array): readonly Sha256Hex[] {
  const hex = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length).toString('hex')
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

const opaqueIdOf = (row: { readonly opaque_id: OpaqueId }): Given => ({ opaqueId: row.opaque_id })

function notesOf(row: Partial<Pick<ShareNotesTable, keyof ShareNotesTable & `sealed_${string}`>> = {}): ShareNotes {
  return { sealedName: row.sealed_name ?? undefined, sealedRecord: row.sealed_record ?? undefined }
}

function shareOf(
  row: Pick<Selectable<ShareTable>, (typeof columns)[number]> & Pick<ShareNotesTable, 'verifier_hash'>,
): Share {
  return {
    opaqueId: row.opaque_id,
    accountId: row.account_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    verifierHash: row.verifier_hash ?? undefined,
  }
}
