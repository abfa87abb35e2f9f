/** What this version changes in the database before it can use it: said beforehand, and done. */
import { checkDatabaseDirectory, checkDataDirectory } from '../adapters/filesystem/dataDirectory.ts'
import { DatabaseTooNew, type Migration, migrations, type SchemaState } from '../adapters/sql/migrations/migrations.ts'
import { checkPostgresSchema, postgresSchema } from '../adapters/sql/postgres/schema.ts'
import { openPostgresStore } from '../adapters/sql/postgres/store.ts'
import { lockDirectory } from '../adapters/sql/sqlite/directoryLock.ts'
import { sqliteSchema, withWayBack } from '../adapters/sql/sqlite/schema.ts'
import { openSqliteStore } from '../adapters/sql/sqlite/store.ts'
import { type CopyRoom, copiesOf, copyOf, lackOfRoom, roomForCopy } from '../adapters/sql/sqlite/upgradeCopies.ts'
import type { Config } from '../config/config.ts'
import { errorText } from '../ground/errorText.ts'
import type { Log } from '../ports/log.ts'
import { refuseHalfRestored } from './data.ts'
import { copyIfUpgraded } from './upgradeCopy.ts'

export interface UpgradePlan {
  readonly kind: 'sqlite' | 'postgres'
  readonly state: SchemaState
  /** How many migrations this version knows. */
  readonly known: number
  /** What has to run, in order. All, for an empty database. */
  readonly pending: readonly (Pick<Migration, 'summary'> & { readonly number: number })[]
  /** Of SQLite, if there are rows that an upgrade changes. */
  readonly copy: (CopyRoom & { readonly path: string }) | undefined
  /** Those that are there, the last one first. */
  readonly copies: readonly string[]
  /** Whether nodes of the database's version can go on serving. Never on SQLite, which has one server. */
  readonly earlierServes: boolean
  /** Why this version cannot use the database, for people. */
  readonly refusal: string | undefined
}

/** Reads the database, and changes nothing: also beside a running server. */
export async function planUpgrade(config: Pick<Config, 'database' | 'dataDirectory'>): Promise<UpgradePlan> {
  const { database } = config
  if (database.kind === 'postgres') return planOf('postgres', await postgresSchema(database.url), {})
  const { path } = database
  await checkDataDirectory(config.dataDirectory)
  await checkDatabaseDirectory(path)
  refuseHalfRestored(config, path)
  const state = await sqliteSchema(path)
  const isUpgraded = state.done > 0 && state.done < migrations.length
  const copy = isUpgraded ? { path: copyOf(path, state.done).path, ...(await roomForCopy(path)) } : undefined
  return planOf('sqlite', state, { path, copy })
}

function planOf(
  kind: UpgradePlan['kind'],
  state: SchemaState,
  { path, copy }: { readonly path?: string; readonly copy?: UpgradePlan['copy'] },
): UpgradePlan {
  const known = migrations.length
  const all = migrations.map(({ summary, serves }, index) => ({ number: index + 1, summary, serves }))
  const pending = all.filter(({ number }) => number > state.done)
  const serves = Math.max(...pending.map((migration) => migration.serves), state.serves)
  return {
    kind,
    state,
    known,
    pending: pending.map(({ number, summary }) => ({ number, summary })),
    copy,
    copies: path === undefined ? [] : copiesOf(path).map((each) => each.path),
    earlierServes: kind === 'postgres' && serves <= state.done,
    refusal: refusalOf(kind, state, path) ?? (path && copy && lackOfRoom(path, copy)),
  }
}

/** As the start of a server would: on PostgreSQL a newer schema may still serve this version. */
function refusalOf(kind: UpgradePlan['kind'], state: SchemaState, path: string | undefined): string | undefined {
  if (state.unconvertible !== undefined) return state.unconvertible
  const known = migrations.length
  if ((kind === 'postgres' ? state.serves : state.done) <= known) return undefined
  const error = new DatabaseTooNew(state, known)
  return errorText(path === undefined ? error : withWayBack(error, path))
}

/** Updates the schema and returns the copy's path. SQLite is copied unless `withoutCopy`; no server may run. */
export async function upgradeData(
  config: Pick<Config, 'database' | 'dataDirectory'>,
  { withoutCopy, log }: { readonly withoutCopy: boolean; readonly log: Pick<Log, 'info'> },
): Promise<string | undefined> {
  const { database, dataDirectory } = config
  if (database.kind === 'postgres') {
    await checkPostgresSchema(database.url)
    await (await openPostgresStore({ url: database.url, schema: 'migrate' })).close()
    return undefined
  }
  const lock = await lockDirectory(dataDirectory)
  try {
    refuseHalfRestored(config, database.path)
    const copy = withoutCopy ? undefined : await copyIfUpgraded(database.path, log)
    await (await openSqliteStore({ path: database.path })).close()
    return copy
  } finally {
    lock.release()
  }
}
