import { fromBase64 } from '@blindkeep/protocol/bytes'

/** The bytes of an optional field that its schema has checked. */
export function givenBytes(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : fromBase64(text)
}
