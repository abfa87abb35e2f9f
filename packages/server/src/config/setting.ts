import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'
import { integer, type Parser, type PublicAddress, protocolVersion, size } from './parsers.ts'

/** One variable of the environment. An empty variable counts as unset. */
export interface Setting<Value> {
  readonly name: string
  /** A sentence for people. */
  readonly meaning: string
  readonly parse: Parser<Value>
  /** The default as people read it. */
  readonly shown: string
  readonly fallback?: Value
  /** Computes the default of a setting that depends on others. */
  readonly derive?: (sources: Sources) => Value
  /** Never shown. */
  readonly isSecret?: boolean
  /** It must be the same on all nodes of a server, which write it to the database (sharedSettings.ts). */
  readonly isShared?: boolean
}

/** The settings that other defaults depend on. Their own defaults are constants. */
interface Sources {
  readonly dataDirectory: string
  readonly publicUrl: PublicAddress | undefined
  readonly quotaHardBytes: number | undefined
}

type Row<Value, Keys extends keyof Setting<Value>> = Required<Pick<Setting<Value>, 'meaning' | 'parse' | Keys>> &
  Pick<Setting<Value>, 'isSecret'>

export const DAY_SECONDS = 86_400
/** Ten years: sums of instants and durations stay exact. */
const MAX_DAYS = 3650
const MAX_COUNT = 1_000_000_000

export function setting<Value extends string | number>(name: string, row: Row<Value, 'fallback'>): Setting<Value> {
  return { name, shown: String(row.fallback), ...row }
}

/** Undefined unless it is set; `shown` says what that means. */
export function optional<Value>(name: string, row: Row<Value, 'shown'>): Setting<Value | undefined> {
  return { name, ...row }
}

export function derived<Value>(name: string, row: Row<Value, 'shown' | 'derive'>): Setting<Value> {
  return { name, ...row }
}

export function seconds(name: string, fallback: number, meaning: string): Setting<number> {
  return setting(name, { fallback, meaning, parse: integer({ min: 1, max: MAX_DAYS * DAY_SECONDS }) })
}

export function days(name: string, fallback: number, meaning: string): Setting<number> {
  return setting(name, { fallback, meaning, parse: integer({ min: 0, max: MAX_DAYS }) })
}

export function bytes(name: string, fallback: number, meaning: string): Setting<number> {
  return setting(name, { fallback, meaning, parse: size({ min: 1 }) })
}

export function count(name: string, fallback: number, meaning: string): Setting<number> {
  return setting(name, { fallback, meaning, parse: integer({ min: 1, max: MAX_COUNT }) })
}

export function version(name: string, date: string, meaning: string): Setting<ProtocolVersion> {
  const fallback = parseProtocolVersion(date)
  if (fallback === undefined) throw new Error(`the default of ${name} is not a date`)
  return setting(name, { fallback, meaning, parse: protocolVersion })
}

export function shared<Value extends string | number | undefined>(row: Setting<Value>): Setting<Value> {
  return { ...row, isShared: true }
}
