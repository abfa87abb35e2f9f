import { type Instant, parseInstant } from '@blindkeep/protocol/ids'

/** A time that its schema has let through. */
export function givenInstant(text: string): Instant {
  const at = parseInstant(text)
  if (at === undefined) throw new Error('a time that its schema let through cannot be read')
  return at
}
