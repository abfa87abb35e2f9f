import type { Dialect } from '../../../../rows/dialects.ts'

/** What several processes count together. One process alone counts in memory, and leaves these tables empty. */
export const sharedTables = ({ text, integer, keyedTableEnd }: Dialect): readonly string[] => [
  `create table limits (
    id ${text} primary key not null,
    taken ${integer} not null,
    ends_at ${integer} not null
  ) ${keyedTableEnd}`,
  'create index limits_by_end on limits (ends_at)',
  `create table seats (
    place ${text} not null,
    number ${integer} not null,
    holder ${text} not null,
    until ${integer} not null,
    primary key (place, number)
  ) ${keyedTableEnd}`,
  'create index seats_by_end on seats (until)',
]
