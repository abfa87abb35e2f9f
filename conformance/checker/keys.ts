/** The attestation keys that a server publishes (specification, AttestationKeysResponse), and their faults. */
import { createHash } from 'node:crypto'
import type { Fault } from './fault.ts'
import { isOrigin } from './payload.ts'

const ALGORITHM = 'hybrid-ed25519-mldsa65'
const HYBRID_KEY_BYTES = 1984
const ED25519_KEY_BYTES = 32
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

export interface PublishedKey {
  readonly keyId: string
  readonly ed25519: Uint8Array
  readonly mlDsa65: Uint8Array
  /** Milliseconds since 1970; NaN when the document has no RFC 3339 time. */
  readonly activeFromMs: number
  /** Absent while it is the active key. */
  readonly activeToMs: number | undefined
}

export interface PublishedKeys {
  readonly serverId: string
  /** Oldest first. A key that does not match its key_id is omitted, so that no signature verifies with it. */
  readonly keys: readonly PublishedKey[]
  readonly faults: readonly Fault[]
}

/** A parsed JSON object with unknown members. */
export type Members = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined when the document is not a list of attestation keys. */
export function readKeys(document: unknown): PublishedKeys | undefined {
  if (!isObject(document) || typeof document.server_id !== 'string' || !Array.isArray(document.keys)) return undefined
  const entries: readonly unknown[] = document.keys
  const faults: Fault[] = []
  const refuse = (where: string, what: string) => void faults.push({ kind: 'keys', where, what })
  if (!isOrigin(document.server_id)) refuse('server_id', 'it must be an origin')
  if (entries.length === 0) refuse('keys', 'the list is empty')
  const ids = entries.map((entry) => (isObject(entry) ? entry.key_id : undefined))
  const keys = entries.flatMap((entry, index): readonly PublishedKey[] => {
    const where = `key ${index + 1}`
    if (ids.indexOf(ids[index]) !== index) refuse(where, 'an earlier key has the same key_id')
    const key = readKey(entry, (what) => refuse(where, what))
    if (key !== undefined)
      refuseTimes(key, { isLast: index === entries.length - 1, refuse: (what) => refuse(where, what) })
    return key === undefined ? [] : [key]
  })
  for (const [index, { keyId, activeFromMs }] of keys.entries()) {
    const before = keys[index - 1]
    if (before === undefined) continue
    if (before.activeFromMs > activeFromMs) refuse(`key ${keyId}`, 'the oldest key must come first')
    else if ((before.activeToMs ?? activeFromMs) > activeFromMs)
      refuse(`key ${keyId}`, 'it became active before the previous key ended')
  }
  return { serverId: document.server_id, keys, faults }
}

function readKey(entry: unknown, refuse: (what: string) => void): PublishedKey | undefined {
  if (!isObject(entry) || typeof entry.key_id !== 'string' || typeof entry.public !== 'string') {
    refuse('it has no key_id or no public key')
    return undefined
  }
  const bytes = fromBase64(entry.public)
  if (bytes?.length !== HYBRID_KEY_BYTES || createHash('sha256').update(bytes).digest('hex') !== entry.key_id) {
    refuse(`its key_id is not the SHA-256 of its ${HYBRID_KEY_BYTES} published bytes`)
    return undefined
  }
  if (entry.algorithm !== ALGORITHM) refuse(`its algorithm must be ${ALGORITHM}`)
  return {
    keyId: entry.key_id,
    ed25519: bytes.subarray(0, ED25519_KEY_BYTES),
    mlDsa65: bytes.subarray(ED25519_KEY_BYTES),
    activeFromMs: timeOf(entry.active_from),
    activeToMs: entry.active_to === undefined || entry.active_to === null ? undefined : timeOf(entry.active_to),
  }
}

interface Place {
  readonly isLast: boolean
  readonly refuse: (what: string) => void
}

/** Only the active key, the last one, has no active_to (specification, AttestationKeysResponse, keys and active_to). */
function refuseTimes({ activeFromMs, activeToMs }: PublishedKey, { isLast, refuse }: Place): void {
  if (Number.isNaN(activeFromMs)) refuse('its active_from is not RFC 3339')
  if (Number.isNaN(activeToMs)) refuse('its active_to is not RFC 3339')
  if (activeToMs !== undefined && activeToMs < activeFromMs) refuse('its active_to is before its active_from')
  if (isLast && activeToMs !== undefined) refuse('the last key has an active_to, so no key is active')
  if (!isLast && activeToMs === undefined) refuse('it has no active_to, although another key follows')
}

function timeOf(value: unknown): number {
  return typeof value === 'string' && TIME.test(value) ? Date.parse(value) : Number.NaN
}

/** Strict: standard alphabet, padded, exactly one text for the same bytes. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? Uint8Array.from(bytes) : undefined
}
