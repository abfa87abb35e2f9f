import type { Selectable } from 'kysely'
import type { Deprecation, DeprecationReads, DeprecationWrites } from '../../ports/store.ts'
import { columnsOf } from './columns.ts'
import type { Db } from './db.ts'
import { prepared } from './prepared.ts'
import type { DeprecationTable } from './schema.ts'

const inOrder = prepared((db, _given: object) =>
  db.selectFrom('deprecations').select(columnsOf('deprecations')).orderBy('deprecation_seq'),
)

const insertion = prepared((db, given: Deprecation) =>
  db.insertInto('deprecations').values({
    min_protocol_version: given.minProtocolVersion,
    announced_at: given.announcedAt,
    cutoff: given.cutoff,
    detail_url: given.detailUrl,
  }),
)

export function deprecationReads(db: Db): DeprecationReads {
  return {
    async list() {
      return (await inOrder.all(db, {})).map(deprecationOf)
    },
  }
}

export function deprecationWrites(db: Db): DeprecationWrites {
  return {
    async append(deprecation) {
      await insertion.changed(db, deprecation)
    },
  }
}

function deprecationOf(row: Selectable<DeprecationTable>): Deprecation {
  return {
    minProtocolVersion: row.min_protocol_version,
    announcedAt: row.announced_at,
    cutoff: row.cutoff,
    detailUrl: row.detail_url ?? undefined,
  }
}
