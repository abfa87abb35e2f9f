/**
 * How a table is described: once, in `tables/`. From the description come the type of a row (`Row`), of a new row
 * (`New`), what Kysely knows of the table (`tables.ts`), and how a value is written and read (`statements.ts`). A
 * member `openBytes` is the column `open_bytes`.
 *
 * Values: text (ids and hexadecimal hashes too) is TEXT, which any tool can show; bytes are BLOB; instants are whole
 * milliseconds since 1970-01-01T00:00:00Z; sizes are bytes; what is absent is NULL in the database and undefined in the
 * code.
 */
import type { Generated } from 'kysely'

/**
 * How a new row has the column:
 * - given: always
 * - optional: it may be absent
 * - later: it is absent, until a statement sets it
 * - made: the database sets the first value
 */
type Start = 'given' | 'optional' | 'later' | 'made'

/** flag: 1 or 0 for true or false; json: the JSON text of an object. */
type Form = 'plain' | 'flag' | 'json'

declare const VALUE: unique symbol

export interface Column<Value = unknown, Begins extends Start = Start, Shown extends boolean = boolean> {
  readonly start: Begins
  readonly isShown: Shown
  readonly form: Form
  /** For the types alone. */
  readonly [VALUE]: Value
}

function column<Value, Begins extends Start>(start: Begins, form: Form = 'plain') {
  return { start, form, isShown: true } as Column<Value, Begins, true>
}

export const given = <Value>() => column<Value, 'given'>('given')
export const optional = <Value>() => column<Value, 'optional'>('optional')
export const later = <Value>() => column<Value, 'later'>('later')
export const made = <Value>() => column<Value, 'made'>('made')
/** Begins at 0. */
export const counter = () => made<number>()
export const flag = () => column<boolean, 'given'>('given', 'flag')
export const givenJson = <Value>() => column<Value, 'given'>('given', 'json')
export const laterJson = <Value>() => column<Value, 'later'>('later', 'json')
export const optionalJson = <Value>() => column<Value, 'optional'>('optional', 'json')

/** For conditions and counts: rows are read without it. */
export function inner<Value, Begins extends Start>(shown: Column<Value, Begins, true>) {
  return { ...shown, isShown: false } as Column<Value, Begins, false>
}

/** Increases with each row. */
export const sequence = () => inner(made<number>())

export type Table = Readonly<Record<string, Column>>

type ValueOf<C> = C extends Column<infer Value> ? Value : never

type OrUndefined<C> = C extends Column<unknown, 'optional' | 'later'> ? ValueOf<C> | undefined : ValueOf<C>

/** The names of the columns that rows are read with. */
export type Shown<T extends Table> = {
  [Name in keyof T & string]: T[Name] extends Column<unknown, Start, true> ? Name : never
}[keyof T & string]

/** A row as it is read. */
export type Row<T extends Table> = {
  readonly [Name in keyof T as T[Name] extends Column<unknown, Start, true> ? Name : never]: OrUndefined<T[Name]>
}

/** What an insertion gives. */
export type New<T extends Table> = {
  readonly [Name in keyof T as T[Name] extends Column<unknown, 'given' | 'optional'> ? Name : never]: OrUndefined<
    T[Name]
  >
}

/** The table as Kysely knows it. */
export type KyselyTable<T extends Table> = {
  readonly [Name in keyof T]: T[Name] extends Column<infer Value, infer Begins>
    ? Begins extends 'given'
      ? Value
      : Begins extends 'made'
        ? Generated<Value>
        : Value | null
    : never
}
