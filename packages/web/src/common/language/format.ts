/** The pages' one formatter: texts in their language, numbers and dates as the reader's region writes them. */
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { type Language, readerLocale } from './language.ts'

export type Formats = ReturnType<typeof formatsIn>

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

const SPANS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1_000 },
] as const

function formatsIn(language: Language) {
  const numberIn = (options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(readerLocale(language), options)
  const dateIn = (instant: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(readerLocale(language), options).format(millisecondsOf(instant))

  /** The time between now and an instant: "in 3 days", "5 minutes ago". */
  function distance(instant: string, nowMs: number): string {
    const distanceMs = millisecondsOf(instant) - nowMs
    const span = SPANS.find(({ ms }) => Math.abs(distanceMs) >= ms) ?? { unit: 'second', ms: 1_000 }
    const count = Math.trunc(distanceMs / span.ms)
    return new Intl.RelativeTimeFormat(readerLocale(language), { numeric: 'auto' }).format(count, span.unit)
  }

  return {
    number: (value: number) => numberIn().format(value),

    decimalSign: () => numberIn().format(1.5).charAt(1),

    /** Decimal units (1 kB is 1000 bytes), with at most three digits: "1.23 MB". */
    bytes(bytes: number): string {
      // The value is rounded first, so that 999,999 bytes are 1 MB and not 1000 kB.
      const rounded = bytes < 1000 ? bytes : Number(bytes.toPrecision(3))
      const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(rounded) / 3))
      const value = rounded / 1000 ** power
      return numberIn({
        style: 'unit',
        unit: UNITS[power] ?? 'byte',
        unitDisplay: power === 0 ? 'long' : 'short',
        maximumFractionDigits: power === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2,
      }).format(value)
    },

    /** Date and time in the reader's time zone. `instant` is RFC 3339. */
    instant: (instant: string) => dateIn(instant, { dateStyle: 'medium', timeStyle: 'short' }),

    /** The date alone, where space is short. */
    date: (instant: string) => dateIn(instant, { dateStyle: 'medium' }),

    /** A day that is the same everywhere: its midnight in UTC. */
    day: (instant: string) => dateIn(instant, { dateStyle: 'medium', timeZone: 'UTC' }),

    distance,

    /** The same for a past event. It is never in the future, even when the reader's clock is behind the server's. */
    age: (instant: string, nowMs: number) => distance(instant, Math.max(nowMs, millisecondsOf(instant))),

    /** A duration in its largest unit, rounded up so that a promised wait is never too short: "2 minutes". */
    duration(seconds: number): string {
      const span = SPANS.find(({ ms }) => seconds * 1000 >= ms) ?? { unit: 'second', ms: 1_000 }
      const count = Math.max(1, Math.ceil((seconds * 1000) / span.ms))
      return numberIn({ style: 'unit', unit: span.unit, unitDisplay: 'long' }).format(count)
    },

    /** A part of the whole, to a tenth of a percent. Rounded up, so that no check finds less than it says. */
    share: (share: number) =>
      numberIn({ style: 'percent', maximumFractionDigits: 1 }).format(Math.ceil(share * 1000) / 1000),

    /** Rounded down, so that "100%" means complete. */
    percent(part: number, whole: number): string {
      const share = whole === 0 ? 1 : Math.min(1, part / whole)
      return numberIn({ style: 'percent', maximumFractionDigits: 0 }).format(Math.floor(share * 100) / 100)
    },
  }
}

export const formats = { en: formatsIn('en'), de: formatsIn('de') }
