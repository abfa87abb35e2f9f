/**
 * Proofs of possession: what a client signs in place of sending a secret. A proof names the request, the server and a
 * nonce of that server, so it is worth nothing for another request, at another server, or after five minutes. Nothing
 * that a client derives contains an address; the address stands here alone.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { type Bytes, concatBytes, uint32be, utf8 } from './bytes.ts'
import { SERVICE } from './wire.ts'

const ZERO = Uint8Array.of(0)
const LABEL = `${SERVICE}/proof/1`

/** What a proof is signed for. */
export interface ProvedRequest {
  /** Of the operation's row: `POST`, and the path without the base path of the server. */
  readonly operation: { readonly method: string; readonly path: string }
  /** The origin of the server. */
  readonly serverId: string
  /** As the server gave it: base64. */
  readonly nonce: string
  /** The JSON body of the request. Its `proof`, and members that are null or undefined, do not count. */
  readonly members: object
}

/**
 * The bytes that Ed25519 signs: `service/proof/1` ‖ 0 ‖ method, a space, path ‖ 0 ‖ server_id ‖ 0 ‖ nonce ‖ 0 ‖
 * SHA-256 of the members (32). Texts are ASCII without a zero byte. The members come in the order of their names
 * (ASCII), each as name ‖ 0 ‖ length (4 bytes, big-endian) ‖ value: the UTF-8 of a string, or an integer in decimal
 * digits.
 */
export function proofMessage({ operation, serverId, nonce, members }: ProvedRequest): Bytes {
  const texts = [LABEL, `${operation.method} ${operation.path}`, serverId, nonce]
  return concatBytes(...texts.flatMap((text) => [utf8(text), ZERO]), sha256(encodedMembers(members)))
}

function encodedMembers(members: object): Bytes {
  const present = Object.entries(members).filter(
    ([name, value]) => name !== 'proof' && value !== null && value !== undefined,
  )
  const sorted = present.sort(([one], [other]) => (one < other ? -1 : 1))
  return concatBytes(
    ...sorted.flatMap(([name, value]: [string, unknown]) => {
      const bytes = utf8(textOf(name, value))
      return [utf8(name), ZERO, uint32be(bytes.length), bytes]
    }),
  )
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value.toString()
  throw new TypeError(`${name} is neither a text nor an integer`)
}
