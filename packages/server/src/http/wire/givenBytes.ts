import { fromBase64 } from '@blindkeep/protocol/bytes'
import type { NewName } from '../../domain/ground/newName.ts'

/** Bytes of an optional, checked field. Undefined if left out, or null, which removes a value. */
export function givenBytes(text: string | null | undefined): Uint8Array | undefined {
  return text === undefined || text === null ? undefined : fromBase64(text)
}

/** The name that a PATCH gives: an absent member stays as it is, null removes it. */
export function newName(text: string | null | undefined): NewName {
  return text === undefined ? 'same' : givenBytes(text)
}
