import type { AccountId, Instant, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { NewShare, Share, ShareReads, ShareWrites } from '../../ports/store.ts'
import { prepared } from './prepared.ts'
import type { Schema, ShareTable } from './schema.ts'

interface Given {
  readonly opaqueId: OpaqueId
}

/** How many rows one statement inserts. The rest is inserted one by one, so that there are only two texts of queries. */
const BLOCK_ROWS = 100

/** Without `sealed_index`, which may be long and has its own query. */
const columns = ['opaque_id', 'account_id', 'created_at', 'expires_at', 'ended_at'] as const

const byId = prepared((db, given: Given) =>
  db.selectFrom('shares').select(columns).where('opaque_id', '=', given.opaqueId),
)

const indexOf = prepared((db, given: Given) =>
  db.selectFrom('shares').select('sealed_index').where('opaque_id', '=', given.opaqueId),
)

const hashesOf = prepared((db, given: Given) =>
  db.selectFrom('share_blobs').select('ciphertext_hash').where('opaque_id', '=', given.opaqueId).orderBy('position'),
)

const naming = prepared((db, given: Given & { readonly ciphertextHash: Sha256Hex }) =>
  db
    .selectFrom('share_blobs')
    .select('position')
    .where('opaque_id', '=', given.opaqueId)
    .where('ciphertext_hash', '=', given.ciphertextHash)
    .limit(1),
)

const ofAccount = prepared((db, given: { readonly accountId: AccountId }) =>
  db
    .selectFrom('shares')
    .select(columns)
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

const insertion = prepared((db, given: NewShare) =>
  db
    .insertInto('shares')
    .values({
      opaque_id: given.opaqueId,
      account_id: given.accountId,
      created_at: given.createdAt,
      expires_at: given.expiresAt,
      sealed_index: given.sealedIndex,
    })
    .onConflict((conflict) => conflict.column('opaque_id').doNothing()),
)

interface BlobRow extends Given {
  readonly position: number
  readonly ciphertextHash: Sha256Hex
}

const blobInsertion = prepared((db, given: BlobRow) =>
  db
    .insertInto('share_blobs')
    .values({ opaque_id: given.opaqueId, position: given.position, ciphertext_hash: given.ciphertextHash }),
)

/** `position0` and `ciphertextHash0`, and so on. */
type Block = Given & Readonly<Record<string, string | number>>

const blockInsertion = prepared((db, given: Block) =>
  db.insertInto('share_blobs').values(
    Array.from({ length: BLOCK_ROWS }, (_, row) => ({
      opaque_id: given.opaqueId,
      position: sql<number>`${given[`position${row}`]}`,
      ciphertext_hash: sql<Sha256Hex>`${given[`ciphertextHash${row}`]}`,
    })),
  ),
)

const ending = prepared((db, given: Given & { readonly at: Instant }) =>
  db
    .updateTable('shares')
    .set({ ended_at: given.at, sealed_index: null })
    .where('opaque_id', '=', given.opaqueId)
    .where('ended_at', 'is', null),
)

const removalOfBlobs = prepared((db, given: Given) =>
  db.deleteFrom('share_blobs').where('opaque_id', '=', given.opaqueId),
)

export function shareReads(db: Kysely<Schema>): ShareReads {
  return {
    async find(opaqueId) {
      const row = await byId.first(db, { opaqueId })
      return row && shareOf(row)
    },
    async contentsOf(opaqueId) {
      const sealedIndex = (await indexOf.first(db, { opaqueId }))?.sealed_index ?? undefined
      if (sealedIndex === undefined) return undefined
      const rows = await hashesOf.all(db, { opaqueId })
      return { sealedIndex, blobHashes: rows.map((row) => row.ciphertext_hash) }
    },
    async names(opaqueId, ciphertextHash) {
      return (await naming.first(db, { opaqueId, ciphertextHash })) !== undefined
    },
    async listOf(accountId) {
      return (await ofAccount.all(db, { accountId })).map(shareOf)
    },
    async count(accountId) {
      return (await countOfAccount.first(db, { accountId }))?.count ?? 0
    },
  }
}

export function shareWrites(db: Kysely<Schema>): ShareWrites {
  async function end(opaqueId: OpaqueId, at: Instant): Promise<void> {
    await ending.changed(db, { opaqueId, at })
    await removalOfBlobs.changed(db, { opaqueId })
  }

  async function endAll(rows: readonly Given[], at: Instant): Promise<number> {
    for (const { opaqueId } of rows) await end(opaqueId, at)
    return rows.length
  }

  return {
    async insert(share) {
      if ((await insertion.changed(db, share)) === 0) return false
      const { opaqueId } = share
      const rows = share.blobHashes.map((ciphertextHash, position) => ({ opaqueId, position, ciphertextHash }))
      const blocksEnd = rows.length - (rows.length % BLOCK_ROWS)
      for (let start = 0; start < blocksEnd; start += BLOCK_ROWS)
        await blockInsertion.changed(db, blockOf(opaqueId, rows.slice(start, start + BLOCK_ROWS)))
      for (const row of rows.slice(blocksEnd)) await blobInsertion.changed(db, row)
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

function blockOf(opaqueId: OpaqueId, rows: readonly BlobRow[]): Block {
  const values = rows.flatMap(({ position, ciphertextHash }, row) => [
    [`position${row}`, position],
    [`ciphertextHash${row}`, ciphertextHash],
  ])
  return { opaqueId, ...Object.fromEntries(values) }
}

const opaqueIdOf = (row: { readonly opaque_id: OpaqueId }): Given => ({ opaqueId: row.opaque_id })

function shareOf(row: Pick<Selectable<ShareTable>, (typeof columns)[number]>): Share {
  return {
    opaqueId: row.opaque_id,
    accountId: row.account_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
  }
}
