/** From which days on a file may be deletable again. A day means its beginning, where the owner is. */
import { formatInstant, instantOf, millisecondsOf } from '@blindkeep/protocol/ids'

export interface ProtectionDays {
  /** `YYYY-MM-DD`, as an input of a date has them. */
  readonly earliest: string
  readonly latest: string
  readonly suggested: string
}

const DAY_MS = 86_400_000
const SUGGESTED_DAYS = 30

interface Bounds {
  readonly nowMs: number
  readonly retainedUntil: string | undefined
  /** `limits.retention_days` of the server facts. */
  readonly daysMax: number
}

/** Undefined if the server accepts no later day than that which the file has. */
export function protectionDays({ nowMs, retainedUntil, daysMax }: Bounds): ProtectionDays | undefined {
  const present = retainedUntil === undefined ? nowMs : Math.max(nowMs, millisecondsOf(retainedUntil))
  // The beginning of the day after this instant, and of the day of that one.
  const earliest = dayOf(present + DAY_MS)
  const latest = dayOf(nowMs + daysMax * DAY_MS)
  const suggested = dayOf(nowMs + SUGGESTED_DAYS * DAY_MS)
  if (latest < earliest) return undefined
  return { earliest, latest, suggested: clamped(suggested, earliest, latest) }
}

/** RFC 3339. Undefined for a day that is none, or not one of these. */
export function protectionEnd(day: string, { earliest, latest }: ProtectionDays): string | undefined {
  const isOffered = /^\d{4}-\d{2}-\d{2}$/.test(day) && earliest <= day && day <= latest
  return isOffered ? formatInstant(instantOf(startOf(day))) : undefined
}

export function isProtected(retainedUntil: string | undefined, nowMs: number): retainedUntil is string {
  return retainedUntil !== undefined && millisecondsOf(retainedUntil) > nowMs
}

interface Protected {
  /** How many. */
  readonly count: number
  /** The last of their ends. */
  readonly until: string
}

/** What of these can be deleted now, and what is said of the others. */
export function byProtection<Asset extends { readonly retainedUntil?: string | undefined }>(
  assets: readonly Asset[],
  nowMs: number,
): { readonly free: readonly Asset[]; readonly kept: Protected | undefined } {
  const free = assets.filter(({ retainedUntil }) => !isProtected(retainedUntil, nowMs))
  const ends = assets.map(({ retainedUntil }) => retainedUntil).filter((until) => isProtected(until, nowMs))
  const until = ends.toSorted((a, b) => millisecondsOf(a) - millisecondsOf(b)).at(-1)
  return { free, kept: until === undefined ? undefined : { count: ends.length, until } }
}

/** Days of this form are in the order of their texts. */
const clamped = (day: string, least: string, most: string) => (day < least ? least : day > most ? most : day)

export const startOf = (day: string) => new Date(`${day}T00:00:00`).getTime()

function dayOf(ms: number): string {
  const at = new Date(ms)
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${at.getFullYear()}-${month}-${day}`
}
