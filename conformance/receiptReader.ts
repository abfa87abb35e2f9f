/**
 * An independent reader of custody receipts, without code of the server: another CBOR library, and Node's own
 * signatures. A receipt is COSE_Sign (RFC 9052) in deterministic CBOR (RFC 8949, section 4.2.1) with one Ed25519 and
 * one ML-DSA-65 signature.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { decode, encode, Tag } from 'cbor2'
import { json } from './call.ts'
import type { Client } from './client.ts'

const COSE_SIGN = 98
const ALGORITHMS = [-19, -49]
const SIGNATURE_BYTES = [64, 3309]
const CONTENT_TYPE = 'application/service-receipt+cbor'
/** SubjectPublicKeyInfo before the raw key: Ed25519 (RFC 8410), ML-DSA-65 (RFC 9881). */
const SPKI = [
  Buffer.from('302a300506032b6570032100', 'hex'),
  Buffer.from('308207b2300b0609608648016503040312038207a100', 'hex'),
]
const ED25519_KEY_BYTES = 32
const HYBRID_KEY_BYTES = 1984

interface SignedReceipt {
  /** The key of both signatures, lowercase hex. */
  readonly keyId: string
  readonly payload: ReadonlyMap<unknown, unknown>
}

/** Reads and verifies a receipt. Throws at the first fault. `keys` maps key ids to published bytes. */
export function checkReceipt(cbor: Uint8Array, keys: ReadonlyMap<string, Uint8Array>): SignedReceipt {
  const message = read(cbor)
  if (!(message instanceof Tag) || message.tag !== COSE_SIGN) throw new Error('not tag 98')
  const [body, unprotected, payload, signers] = list(message.contents, 4)
  demand(isEmptyMap(unprotected), 'the unprotected header is empty')
  const header = map(read(bytes(body)))
  demand(header.size === 1 && header.get(3) === CONTENT_TYPE, 'the protected header is the content type')
  const keyIds = list(signers, 2).map((signer, index) =>
    checkSigner(signer, { index, body: bytes(body), payload: bytes(payload), keys }),
  )
  demand(keyIds[0] === keyIds[1], 'both signatures name one key')
  return { keyId: String(keyIds[0]), payload: map(read(bytes(payload))) }
}

/** The attestation keys that the server publishes now, by key id. */
export async function publishedKeys(client: Client): Promise<ReadonlyMap<string, Uint8Array>> {
  const reply = await client.send({ method: 'GET', path: '/.well-known/service/attestation-keys' })
  const { keys } = json<{ keys: { key_id: string; public: string }[] }>(reply)
  return new Map(keys.map((key) => [key.key_id, Buffer.from(key.public, 'base64')]))
}

/** The signed fields in the form of the JSON members. */
export function readingOf(payload: ReadonlyMap<unknown, unknown>): Record<string, unknown> {
  const entries = [...payload].map(([name, value]) => [
    String(name),
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  ])
  return Object.fromEntries(entries)
}

interface Signed {
  readonly index: number
  readonly body: Uint8Array
  readonly payload: Uint8Array
  readonly keys: ReadonlyMap<string, Uint8Array>
}

function checkSigner(signer: unknown, { index, body, payload, keys }: Signed): string {
  const [head, unprotected, signature] = list(signer, 3)
  demand(isEmptyMap(unprotected), 'a signature’s unprotected header is empty')
  const header = map(read(bytes(head)))
  demand(
    header.size === 2 && header.get(1) === ALGORITHMS[index],
    `signature ${index} is by algorithm ${ALGORITHMS[index]}`,
  )
  const keyId = Buffer.from(bytes(header.get(4))).toString('hex')
  const published = keys.get(keyId)
  if (published === undefined) throw new Error(`no key ${keyId} is published`)
  demand(bytes(signature).length === SIGNATURE_BYTES[index], 'a signature has the length of its algorithm')
  const toBeSigned = write(['Signature', body, bytes(head), new Uint8Array(0), payload])
  demand(verify(null, toBeSigned, publicKey(published, index), bytes(signature)), `signature ${index} verifies`)
  return keyId
}

function publicKey(published: Uint8Array, index: number): KeyObject {
  demand(published.length === HYBRID_KEY_BYTES, 'a published key is 1984 bytes')
  const raw = index === 0 ? published.subarray(0, ED25519_KEY_BYTES) : published.subarray(ED25519_KEY_BYTES)
  return createPublicKey({ key: Buffer.concat([SPKI[index] ?? Buffer.alloc(0), raw]), format: 'der', type: 'spki' })
}

/** Throws for bytes that do not re-encode to themselves, because a receipt has exactly one form. */
function read(cbor: Uint8Array): unknown {
  // A Uint8Array and not a Buffer, because the library returns byte strings in the type of its input.
  const value: unknown = decode(Uint8Array.from(cbor), {
    preferMap: true,
    rejectDuplicateKeys: true,
    ignoreGlobalTags: true,
  })
  demand(Buffer.from(write(value)).equals(cbor), 'it is deterministic CBOR')
  return value
}

const write = (value: unknown): Uint8Array => encode(value, { cde: true })

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`the receipt does not meet: ${what}`)
}

function list(value: unknown, length: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length !== length) throw new Error(`not a list of ${length}`)
  return value
}

function map(value: unknown): ReadonlyMap<unknown, unknown> {
  if (!(value instanceof Map)) throw new Error('not a map')
  return value
}

function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new Error('not bytes')
  return value
}

const isEmptyMap = (value: unknown) => value instanceof Map && value.size === 0

export const hashOf = (cbor: Uint8Array) => createHash('sha256').update(cbor).digest('hex')
