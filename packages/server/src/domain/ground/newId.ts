import type { Instant } from '@blindkeep/protocol/ids'
import type { Random } from '../../ports/random.ts'

/** A new random id. It is parsed like every other id, so only the parser makes branded ids. */
export function newId<Id>(random: Random, parse: (text: string) => Id | undefined): Id {
  const id = parse(random.uuid())
  if (id === undefined) throw new Error('the random generator returned no UUID')
  return id
}

/** UUID version 7 (RFC 9562, section 5.7). It contains its time: rows in sequence are stored side by side. */
export function newTimedId<Id>(
  { random, now }: { readonly random: Random; readonly now: Instant },
  parse: (text: string) => Id | undefined,
): Id {
  const time = now.toString(16).padStart(12, '0')
  // Keeps the variant and the random part of a version 4, and replaces time and version.
  const text = `${time.slice(0, 8)}-${time.slice(8)}-7${random.uuid().slice(15)}`
  const id = parse(text)
  if (id === undefined) throw new Error('the time of the clock does not fit into a UUID')
  return id
}
