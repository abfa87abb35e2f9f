import { type Bytes, toHex } from '@blindkeep/protocol/bytes'
import { type OpaqueId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { ID_BYTES } from '@blindkeep/protocol/suites'

interface RandomSource {
  readonly randomBytes: (count: number) => Bytes
}

/** A random UUID (RFC 9562, section 5.4), canonical and lowercase: the id of an asset, album or device. */
export function newId<Id extends string>({ randomBytes }: RandomSource, parse: (text: string) => Id | undefined): Id {
  const bytes = randomBytes(ID_BYTES)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const id = parse(uuidOf(bytes))
  if (id === undefined) throw new Error('the random generator did not return 16 bytes')
  return id
}

/** 128 random bits in lowercase hex: the id of a link or share, and a credential. */
export function newOpaqueId({ randomBytes }: RandomSource): OpaqueId {
  const opaqueId = parseOpaqueId(toHex(randomBytes(ID_BYTES)))
  if (opaqueId === undefined) throw new Error('the random generator did not return 16 bytes')
  return opaqueId
}

/** The UUID text of 16 bytes. */
export function uuidOf(bytes: Uint8Array): string {
  const hex = toHex(bytes)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
