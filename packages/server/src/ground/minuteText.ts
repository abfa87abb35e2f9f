import { formatInstant, type Instant } from '@blindkeep/protocol/ids'

/** A time as people read it: programs get `formatInstant`. */
export function minuteText(at: Instant): string {
  return `${formatInstant(at).slice(0, 16).replace('T', ' ')} UTC`
}
