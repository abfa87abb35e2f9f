import { parseInstant } from '@blindkeep/protocol/ids'
import type { Language } from './language.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Bytes as people read them: powers of 1000, as systems show them, with at most three figures. */
export function formatBytes(bytes: number, language: Language): string {
  // Rounded first: 999,999 bytes are a megabyte then, and not a thousand kilobytes.
  const rounded = bytes < 1000 ? bytes : Number(bytes.toPrecision(3))
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(rounded) / 3))
  const value = rounded / 1000 ** power
  const digits = power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(value)
}

/** RFC 3339 as date and time of the reader's own clock. */
export function formatInstant(instant: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(millisecondsOf(instant))
}

/** Its date alone, where there is no room for more. */
export function formatDate(instant: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(millisecondsOf(instant))
}

/** A leap second, which RFC 3339 knows, is none to `Date`, and what that gives breaks everything that formats it. */
function millisecondsOf(instant: string): number {
  return parseInstant(instant) ?? Date.parse(instant)
}

const SPANS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const

/** How far an instant lies from now: "in 3 days", "5 minutes ago". */
export function formatDistance(instant: string, nowMs: number, language: Language): string {
  const distanceMs = millisecondsOf(instant) - nowMs
  const span = SPANS.find(({ ms }) => Math.abs(distanceMs) >= ms) ?? { unit: 'second', ms: 1_000 }
  const count = Math.trunc(distanceMs / span.ms)
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(count, span.unit)
}

/** The same for what has happened, so never later than now, however the clocks differ. */
export function formatAge(instant: string, nowMs: number, language: Language): string {
  return formatDistance(instant, Math.max(nowMs, millisecondsOf(instant)), language)
}

/** A length of time in its largest unit, rounded up so that what is promised is kept: "2 min". */
export function formatDuration(seconds: number, language: Language): string {
  const span = SPANS.find(({ ms }) => seconds * 1000 >= ms) ?? { unit: 'second', ms: 1_000 }
  const count = Math.max(1, Math.ceil((seconds * 1000) / span.ms))
  return new Intl.NumberFormat(language, { style: 'unit', unit: span.unit, unitDisplay: 'long' }).format(count)
}

export function formatPercent(part: number, whole: number, language: Language): string {
  const share = whole === 0 ? 1 : Math.min(1, part / whole)
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 }).format(
    Math.floor(share * 100) / 100,
  )
}
