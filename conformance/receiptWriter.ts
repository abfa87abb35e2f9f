/** Signs valid and invalid receipts as a server would, with keys of the test. Written from the formats alone. */
import { createHash } from 'node:crypto'
import {
  assemble,
  type DeviceKeys,
  type Fields,
  newDeviceKeys,
  type Parts,
  partsOf,
  payloadOf,
  type Variation,
} from './provenanceWriter.ts'

const CONTENT_TYPE = 'application/service-receipt+cbor'
export const ORIGIN = 'https://keep.example'
const START_MS = Date.parse('2026-03-01T10:00:00.000Z')
const DAY_MS = 86_400_000

/** The hybrid key of a server has the same form as a device key. */
export type ServerKeys = DeviceKeys

export const newServerKeys = newDeviceKeys

export function signReceipt(fields: Fields, keys: ServerKeys, variation: Variation = {}): Buffer {
  return assemble(receiptParts(fields, keys, variation))
}

export function receiptParts(fields: Fields, keys: ServerKeys, variation: Variation = {}): Parts {
  return partsOf(fields, keys, { contentType: CONTENT_TYPE, ...variation })
}

/** The payload that `signReceipt` signs, for a test to modify. */
export const receiptPayload = payloadOf

export const receiptHash = (cbor: Uint8Array): Buffer => createHash('sha256').update(cbor).digest()

/** Seconds after the first receipt of `newFields`. */
export const timeAfter = (seconds: number): string => new Date(START_MS + 1000 * seconds).toISOString()

/** The fields of a landing, one second after the previous number. */
export function newFields(receiptSeq: number, over: Fields = {}): Record<string, unknown> {
  const prior = receiptSeq === 1 ? {} : { prior_receipt_hash: new Uint8Array(32).fill(receiptSeq) }
  return {
    version: 'service/receipt/1',
    server_id: ORIGIN,
    receipt_seq: receiptSeq,
    ...prior,
    upload_id: '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e10',
    drop_id: '0192e8a4-7c4e-4d1a-9b1e-3f2a5c6d7e12',
    blob_role: 'original',
    ciphertext_hash: new Uint8Array(32).fill(7),
    size: 1234,
    received_at: timeAfter(receiptSeq),
    ...over,
  }
}

export interface Step {
  readonly fields?: Fields
  readonly keys?: ServerKeys
}

/** A chain: each receipt names the hash of the previous one, unless its fields override it. */
export function writeChain(keys: ServerKeys, steps: readonly Step[]): readonly Buffer[] {
  const chain: Buffer[] = []
  for (const [index, { fields = {}, keys: others = keys }] of steps.entries()) {
    const before = chain.at(-1)
    const prior = before === undefined ? {} : { prior_receipt_hash: Uint8Array.from(receiptHash(before)) }
    chain.push(signReceipt(newFields(index + 1, { ...prior, ...fields }), others))
  }
  return chain
}

export interface Published {
  readonly key_id: string
  readonly public: string
  readonly algorithm: string
  readonly active_from: string
  readonly active_to?: string
}

export interface KeysDocument {
  readonly server_id: string
  readonly keys: readonly Published[]
}

/** A keys document, oldest first. Each key begins at its predecessor's end; `ends`: seconds, as for `timeAfter`. */
export function publish(keys: readonly ServerKeys[], ends: readonly number[] = []): KeysDocument {
  const published = keys.map(({ publicKey }, index): Published => {
    const [from, to] = [ends[index - 1], ends[index]]
    return {
      key_id: createHash('sha256').update(publicKey).digest('hex'),
      public: publicKey.toString('base64'),
      algorithm: 'hybrid-ed25519-mldsa65',
      active_from: from === undefined ? timeAfter(-DAY_MS / 1000) : timeAfter(from),
      ...(to === undefined ? {} : { active_to: timeAfter(to) }),
    }
  })
  return { server_id: ORIGIN, keys: published }
}
