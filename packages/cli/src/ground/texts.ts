/** Texts on a terminal. */
import { countText } from '@blindkeep/protocol/counts'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { escapedJson, shown } from '@blindkeep/protocol/terminalText'

export { shown }

/** One object, as a line. */
export const jsonLine = (fact: object) => escapedJson(JSON.stringify(fact))

export const filesText = (count: number) => countText(count, 'file')

/** In a sentence; what is more is counted. */
const MAX_NAMES = 10

export function namesText(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  const listed = names.slice(0, MAX_NAMES).map(shown).join(', ')
  return more > 0 ? `${listed} and ${more} more` : listed
}

/** By name, as people count: `scan 2` before `scan 10`. */
export function byName(one: string, other: string): number {
  // Made at the first call: it loads the rules of all languages, which most commands do not need.
  collator ??= new Intl.Collator('en', { numeric: true })
  return collator.compare(one, other)
}
let collator: Intl.Collator | undefined

/** `12 s`, `4 min`, `2 h 10 min`, `6 days 23 h`. */
export function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 100) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return hours % 24 === 0 ? `${hours / 24} days` : `${Math.floor(hours / 24)} days ${hours % 24} h`
}

/** A time in the person's own zone, to the minute: `2026-11-25 14:05`. */
export function timeText(instant: string): string {
  const at = new Date(millisecondsOf(instant))
  const [month, day, hours, minutes] = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes()].map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${String(at.getFullYear()).padStart(4, '0')}-${month}-${day} ${hours}:${minutes}`
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** The forms of a duration, for messages and help. */
export const DURATION_FORMS = 'as in 90m, 12h, 7d or 4w'

/** Seconds; undefined for a text that is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6}) ?([smhdw])$/.exec(text) ?? []
  const seconds = Number(digits) * (SECONDS[unit ?? ''] ?? 0)
  return seconds > 0 ? seconds : undefined
}

/** The first characters of an id, which are enough in a list: commands take them, too. */
export const shortId = (id: string) => id.slice(0, 8)

/** `3f8a21c0 (blindkeep on desk)`. */
export function namedText(id: string, { name }: { readonly name: string | undefined }): string {
  return name === undefined ? shortId(id) : `${shortId(id)} (${shown(name)})`
}
