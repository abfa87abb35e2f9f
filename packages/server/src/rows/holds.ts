import type { DropId, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './db.ts'
import { all, changesOne, first, insertsUnless, values } from './statements.ts'
import type { AdoptedDrop } from './tables/assets.ts'
import { columnsOf } from './tables.ts'

const ofLink = {
  uploads: values((db, opaqueId: OpaqueId) =>
    db
      .selectFrom('uploads')
      .select('ciphertextHash')
      .where('opaqueId', '=', opaqueId)
      .where('state', 'in', ['open', 'finishing', 'landed']),
  ),
  drops: values((db, opaqueId: OpaqueId) =>
    db.selectFrom('drops').select('ciphertextHash').where('opaqueId', '=', opaqueId),
  ),
  blobs: values((db, opaqueId: OpaqueId) =>
    db
      .selectFrom('assetBlobs')
      .innerJoin('assets', 'assets.assetId', 'assetBlobs.assetId')
      .select('ciphertextHash')
      .where('opaqueId', '=', opaqueId),
  ),
}

const ofDrop = {
  drops: values((db, dropId: DropId) => db.selectFrom('drops').select('ciphertextHash').where('dropId', '=', dropId)),
  blobs: values((db, dropId: DropId) =>
    db
      .selectFrom('assetBlobs')
      .innerJoin('assets', 'assets.assetId', 'assetBlobs.assetId')
      .select('ciphertextHash')
      .where('dropId', '=', dropId),
  ),
}

/** An asset in the bin names its drop and its link in the text of its rows alone. */
const binned = values((db, pattern: string) => db.selectFrom('bin').select('removed').where(likeRemoved(pattern)))

const likeRemoved = (pattern: string): RawBuilder<boolean> => sql<boolean>`removed like ${pattern}`

async function binnedContents(
  db: Db,
  id: string,
  isOf: (drop: Pick<AdoptedDrop, 'opaqueId' | 'dropId'>) => boolean,
): Promise<readonly Sha256Hex[]> {
  return (await binned(db, `%${id}%`)).flatMap((removed) => {
    const drop = removed.drop ?? removed.asset.drop
    if (drop === undefined || !isOf(drop)) return []
    const contents = removed.drop === undefined ? removed.blobs : [removed.drop]
    return contents.map(({ ciphertextHash }) => ciphertextHash)
  })
}

/** What came through a link, or one drop of it. */
export type HeldSource = { readonly opaqueId: OpaqueId; readonly dropId?: never } | { readonly dropId: DropId }

async function contentsOf(db: Db, source: HeldSource): Promise<readonly Sha256Hex[]> {
  const { dropId } = source
  const found =
    dropId === undefined
      ? [
          await ofLink.uploads(db, source.opaqueId),
          await ofLink.drops(db, source.opaqueId),
          await ofLink.blobs(db, source.opaqueId),
          await binnedContents(db, source.opaqueId, ({ opaqueId }) => opaqueId === source.opaqueId),
        ]
      : [
          await ofDrop.drops(db, dropId),
          await ofDrop.blobs(db, dropId),
          await binnedContents(db, dropId, (drop) => drop.dropId === dropId),
        ]
  return [...new Set(found.flat())]
}

export const holdReads = {
  /**
   * Each content once: in the inbox, in assets with all that was made of it, and in the bin; of a link also what is on
   * its way, and what has landed and was deleted since, as long as its session is known.
   */
  contentsOf,
  find: first((db, ciphertextHash: Sha256Hex) =>
    db.selectFrom('holds').select(columnsOf('holds')).where('ciphertextHash', '=', ciphertextHash),
  ),
  /** Oldest first. */
  list: all((db) => db.selectFrom('holds').select(columnsOf('holds')).orderBy('createdAt').orderBy('ciphertextHash')),
}

export const holdWrites = {
  /** False, and nothing changed, if the content is on hold already. */
  add: insertsUnless('holds', 'ciphertextHash'),
  /** False if the content was not on hold. */
  remove: changesOne((db, ciphertextHash: Sha256Hex) =>
    db.deleteFrom('holds').where('ciphertextHash', '=', ciphertextHash),
  ),
}
