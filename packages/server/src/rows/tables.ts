import type { KyselyTable, New, Shown, Table } from './columns.ts'
import { accounts, backupCodes } from './tables/accounts.ts'
import { albums } from './tables/albums.ts'
import { assetBlobs, assets } from './tables/assets.ts'
import { bin } from './tables/bin.ts'
import { capabilities } from './tables/capabilities.ts'
import { challenges } from './tables/challenges.ts'
import { events } from './tables/changes.ts'
import { channels } from './tables/channels.ts'
import { deprecations } from './tables/deprecations.ts'
import { devices } from './tables/devices.ts'
import { drops } from './tables/drops.ts'
import { holds } from './tables/holds.ts'
import { invites } from './tables/invites.ts'
import { attestationKeys, keyChanges } from './tables/keys.ts'
import { links } from './tables/links.ts'
import { objects } from './tables/objects.ts'
import { parts } from './tables/parts.ts'
import { passkeys } from './tables/passkeys.ts'
import { pauses } from './tables/pauses.ts'
import { logHead, receipts } from './tables/receipts.ts'
import { limits, nodes, seats, serverFacts } from './tables/server.ts'
import { refreshTokens, sessions } from './tables/sessions.ts'
import { shareNotes, shares, shareVisits } from './tables/shares.ts'
import { chunks, uploads } from './tables/uploads.ts'

/** Every table that `migrations.ts` creates. */
export const tables = {
  accounts,
  backupCodes,
  sessions,
  refreshTokens,
  challenges,
  invites,
  devices,
  passkeys,
  albums,
  assets,
  assetBlobs,
  links,
  uploads,
  chunks,
  drops,
  bin,
  objects,
  parts,
  holds,
  pauses,
  events,
  channels,
  receipts,
  logHead,
  attestationKeys,
  keyChanges,
  shares,
  shareNotes,
  shareVisits,
  capabilities,
  deprecations,
  serverFacts,
  limits,
  seats,
  nodes,
} satisfies Readonly<Record<string, Table>>

type Described = typeof tables

/** What Kysely knows of them. */
export type Tables = { readonly [Name in keyof Described]: KyselyTable<Described[Name]> }

type ColumnOf<Name extends keyof Tables> = Shown<Described[Name]>

/** The columns that a row is read with, without some. */
export function columnNames<Name extends keyof Tables, Left extends ColumnOf<Name> = never>(
  table: Name,
  { without = [] }: { readonly without?: readonly Left[] } = {},
): readonly Exclude<ColumnOf<Name>, Left>[] {
  const columns = Object.entries<Table[string]>(tables[table]).filter(([, { isShown }]) => isShown)
  // `Object.entries` forgets which names it was given.
  const names = columns.map(([name]) => name as ColumnOf<Name>)
  return names.filter((name): name is Exclude<ColumnOf<Name>, Left> => !without.some((left) => left === name))
}

/** The same with the table's name before them, for `select` and `returning`. */
export function columnsOf<Name extends keyof Tables>(table: Name): readonly `${Name}.${ColumnOf<Name>}`[] {
  return columnNames(table).map((name) => `${table}.${name}` as const)
}

/** Some columns of a row, in a third of the time that the rest of a destructured one takes. */
export function picked<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]): Pick<Row, Name> {
  const some: Partial<Pick<Row, Name>> = {}
  for (const name of names) some[name] = row[name]
  return some as Pick<Row, Name>
}

export type NewRow<Name extends keyof Tables> = New<Described[Name]>

/** What an insertion gives of `row`, for `values`. It may be of a narrower type, and the insertion add the rest. */
export function newRow<Name extends keyof Tables, Given extends Partial<NewRow<Name>>>(table: Name, row: Given) {
  return givenOf(table, row) as Pick<NewRow<Name>, keyof Given & keyof NewRow<Name>>
}

/** The same without its type. */
export function givenOf(table: keyof Tables, row: object): Readonly<Record<string, unknown>> {
  const columns = Object.entries<Table[string]>(tables[table])
  const given = columns.filter(([, { start }]) => start === 'given' || start === 'optional')
  return Object.fromEntries(given.map(([name]) => [name, Reflect.get(row, name)]))
}
