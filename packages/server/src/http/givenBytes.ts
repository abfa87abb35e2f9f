import { fromBase64 } from '@blindkeep/protocol/bytes'

/** The bytes of an optional field that its schema has checked. Undefined if it is left out, or null, which removes a value. */
export function givenBytes(text: string | null | undefined): Uint8Array | undefined {
  return text === undefined || text === null ? undefined : fromBase64(text)
}
