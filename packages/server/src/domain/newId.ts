import type { Instant } from '@blindkeep/protocol/ids'
import type { Random } from '../ports/random.ts'

/** A fresh id, parsed like any other: the brand is given at one place alone. */
export function newId<Id>(random: Random, parse: (text: string) => Id | undefined): Id {
  const id = parse(random.uuid())
  if (id === undefined) throw new Error('the random generator gave no UUID')
  return id
}

/** A UUID of version 7 (RFC 9562, section 5.7): it tells when it was made, and rows that are made one after another lie beside each other. */
export function newTimedId<Id>(
  { random, now }: { readonly random: Random; readonly now: Instant },
  parse: (text: string) => Id | undefined,
): Id {
  const time = now.toString(16).padStart(12, '0')
  // The random part of a version 4 keeps its variant; only time and version are written over.
  const text = `${time.slice(0, 8)}-${time.slice(8)}-7${random.uuid().slice(15)}`
  const id = parse(text)
  if (id === undefined) throw new Error('the clock is beyond what a UUID can tell')
  return id
}
