/** The pages' one formatter: texts in their language, numbers and dates as the reader's region writes them. */
import { parseInstant } from '@blindkeep/protocol/ids'
import { type Language, readerLocale } from './language.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

export function formatNumber(value: number, language: Language): string {
  return new Intl.NumberFormat(readerLocale(language)).format(value)
}

/** Decimal units (1 kB is 1000 bytes), with at most three digits: "1.23 MB". */
export function formatBytes(bytes: number, language: Language): string {
  // The value is rounded first, so that 999,999 bytes are 1 MB and not 1000 kB.
  const rounded = bytes < 1000 ? bytes : Number(bytes.toPrecision(3))
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(rounded) / 3))
  const value = rounded / 1000 ** power
  const digits = power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return new Intl.NumberFormat(readerLocale(language), {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(value)
}

/** Date and time in the reader's time zone. `instant` is RFC 3339. */
export function formatInstant(instant: string, language: Language): string {
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const
  return new Intl.DateTimeFormat(readerLocale(language), options).format(millisecondsOf(instant))
}

/** The date alone, where space is short. */
export function formatDate(instant: string, language: Language): string {
  return new Intl.DateTimeFormat(readerLocale(language), { dateStyle: 'medium' }).format(millisecondsOf(instant))
}

/** RFC 3339 allows leap seconds. `Date.parse` answers NaN for them, which every formatter refuses with an exception. */
function millisecondsOf(instant: string): number {
  return parseInstant(instant) ?? Date.parse(instant)
}

const SPANS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const

/** The time between now and an instant: "in 3 days", "5 minutes ago". */
export function formatDistance(instant: string, nowMs: number, language: Language): string {
  const distanceMs = millisecondsOf(instant) - nowMs
  const span = SPANS.find(({ ms }) => Math.abs(distanceMs) >= ms) ?? { unit: 'second', ms: 1_000 }
  const count = Math.trunc(distanceMs / span.ms)
  return new Intl.RelativeTimeFormat(readerLocale(language), { numeric: 'auto' }).format(count, span.unit)
}

/** The same for a past event. It is never in the future, even when the reader's clock is behind the server's. */
export function formatAge(instant: string, nowMs: number, language: Language): string {
  return formatDistance(instant, Math.max(nowMs, millisecondsOf(instant)), language)
}

/** A duration in its largest unit, rounded up so that a promised wait is never too short: "2 minutes". */
export function formatDuration(seconds: number, language: Language): string {
  const span = SPANS.find(({ ms }) => seconds * 1000 >= ms) ?? { unit: 'second', ms: 1_000 }
  const count = Math.max(1, Math.ceil((seconds * 1000) / span.ms))
  const options = { style: 'unit', unit: span.unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(readerLocale(language), options).format(count)
}

/** Rounded down, so that "100%" means complete. */
export function formatPercent(part: number, whole: number, language: Language): string {
  const share = whole === 0 ? 1 : Math.min(1, part / whole)
  return new Intl.NumberFormat(readerLocale(language), { style: 'percent', maximumFractionDigits: 0 }).format(
    Math.floor(share * 100) / 100,
  )
}
