import { toHex } from '@blindkeep/protocol/bytes'
import { ID_BYTES } from '@blindkeep/protocol/suites'
import type { Environment } from './environment.ts'

/** A random UUID (RFC 9562, section 5.4), canonical and lowercase: what a client makes for its assets, albums and devices. */
export function newId<Id extends string>(
  { randomBytes }: Pick<Environment, 'randomBytes'>,
  parse: (text: string) => Id | undefined,
): Id {
  const bytes = randomBytes(ID_BYTES)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const id = parse(uuidOf(bytes))
  if (id === undefined) throw new Error('the random generator gave no 16 bytes')
  return id
}

/** The UUID that 16 bytes spell. */
export function uuidOf(bytes: Uint8Array): string {
  const hex = toHex(bytes)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
