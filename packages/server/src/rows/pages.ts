/** Lists in pages, by the time of their entries and within a millisecond by their sequence, or backwards. */
import type { Instant } from '@blindkeep/protocol/ids'
import type { ListOrder } from '@blindkeep/protocol/schemas/lists'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './db.ts'
import { all, first } from './statements.ts'
import type { Tables } from './tables.ts'

/** A place in the order of a list, also if no entry is there any more. */
export interface Place {
  readonly placeAt: Instant
  readonly placeSeq: number | string
}

export interface PageQuestion {
  readonly after?: Place | undefined
  readonly max: number
  /** `oldest` by default. */
  readonly order?: ListOrder | undefined
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** The place of the last one; undefined if the list has no more. */
  readonly next: Place | undefined
}

interface List<Owner, Id, Table extends keyof Tables, Row, Entry extends keyof Tables> {
  /** The columns that give the order, of which an index has each after the owner. Without a time the sequence does. */
  readonly by: { readonly time?: string; readonly seq: string }
  /** All rows that the list has at present. */
  readonly rows: (db: Kysely<Tables>, owner: Owner) => SelectQueryBuilder<Tables, Table, Row>
  /** The row of one id, also of one that the list has no more. */
  readonly entry: (db: Kysely<Tables>, owner: Owner, id: Id) => SelectQueryBuilder<Tables, Entry, object>
}

export function pagesOf<Owner, Id, Table extends keyof Tables, Row, Entry extends keyof Tables>({
  by: { time, seq },
  rows,
  entry,
}: List<Owner, Id, Table, Row, Entry>) {
  const place = [
    sql.ref<Place['placeAt']>(time ?? seq).as('placeAt'),
    sql.ref<Place['placeSeq']>(seq).as('placeSeq'),
  ] as const
  const columns = time === undefined ? sql.ref(seq) : sql.join([sql.ref(time), sql.ref(seq)])

  function pagesBy(direction: 'asc' | 'desc') {
    const page = (db: Kysely<Tables>, owner: Owner, max: number) => {
      const found = rows(db, owner).select(place)
      const byTime = time === undefined ? found : found.orderBy(sql.ref(time), direction)
      return byTime.orderBy(sql.ref(seq), direction).limit(max)
    }
    return {
      first: all(page),
      next: all((db, owner: Owner, max: number, { placeAt, placeSeq }: Place) => {
        const values = time === undefined ? sql`${placeSeq}` : sql.join([placeAt, placeSeq])
        return page(db, owner, max).where(
          sql<boolean>`(${columns}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${values})`,
        )
      }),
    }
  }

  const pages = { oldest: pagesBy('asc'), newest: pagesBy('desc') }
  return {
    /** At most `max` in the order: the first ones, or those after a place. */
    async page(db: Db, owner: Owner, { after, max, order = 'oldest' }: PageQuestion) {
      const { first, next } = pages[order]
      const found = await (after === undefined ? first(db, owner, max + 1) : next(db, owner, max + 1, after))
      const placed = found.slice(0, max).map(({ placeAt, placeSeq, ...row }) => ({ row, place: { placeAt, placeSeq } }))
      return { rows: placed.map(({ row }) => row), next: found.length > max ? placed.at(-1)?.place : undefined }
    },
    /** The place of an entry, also of one that has left the list while its row stays. */
    placeOf: first((db, owner: Owner, id: Id) => entry(db, owner, id).select(place)),
  }
}
