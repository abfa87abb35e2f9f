/**
 * The index of a share: its files, and what opens them. Deterministic CBOR (RFC 8949, section 4.2.1): a map of
 * `version` 1 and `assets`, a list of maps. Each has the `hash` of an original, the `stream` secrets of that one
 * blob, its `size` in plaintext bytes, and `name`, `type`, `modified_at` if known, with the bounds of a header's
 * texts. The index contains no key of an asset: it opens these blobs and no other blob of their assets, whatever else
 * the server returns. The index of a share that follows its album may have no files, and has a `mark` for each, which
 * is for the owner's clients alone.
 */
import { type Bytes, concatBytes, fromHex, toHex } from '@blindkeep/protocol/bytes'
import { CborError, type CborValue, decodeCbor, encodeCbor } from '@blindkeep/protocol/cbor'
import { formatInstant, parseInstant, parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { isCount } from '@blindkeep/protocol/json'
import { MAX_SHARE_BLOBS, MAX_SHARE_INDEX_BYTES } from '@blindkeep/protocol/schemas/shares'
import { COMMITMENT_BYTES, KEY_BYTES, NONCE_PREFIX_BYTES } from '@blindkeep/protocol/suites'
import type { StreamSecrets } from '../seal/derive.ts'
import { fitsHeader } from '../seal/headerText.ts'
import { openSmall } from '../seal/open.ts'
import { sealSmall } from '../seal/seal.ts'
import { SealError } from '../seal/sealError.ts'
import { ShareError } from './shareError.ts'

const VERSION = 1
const PREFIX_END = KEY_BYTES + NONCE_PREFIX_BYTES
const STREAM_BYTES = PREFIX_END + COMMITMENT_BYTES
export const MARK_BYTES = 8

/** What the owner states about a shared file. */
export interface SharedFile {
  readonly name: string | undefined
  readonly type: string | undefined
  /** RFC 3339. */
  readonly modifiedAt: string | undefined
  /** Bytes of the file. */
  readonly size: number
}

export interface ShareEntry extends SharedFile {
  /** SHA-256 of the original's ciphertext, lowercase hex. */
  readonly hash: Sha256Hex
  readonly secrets: StreamSecrets
  /** 8 bytes: of which metadata name, type and time are. Only in a share that follows its album. */
  readonly mark?: Bytes
}

interface ShareSeal {
  /** 32 bytes, used for this share only. */
  readonly shareKey: Uint8Array
  /** 16 bytes. */
  readonly opaqueId: Uint8Array
  /** 16 bytes; random by default. */
  readonly salt?: Uint8Array | undefined
}

/** Purpose `share-index`, context: the opaque id. Throws `ShareError` `too_large` above 512 KiB or 10,000 assets. */
export async function sealShareIndex(
  { shareKey, opaqueId, salt }: ShareSeal,
  entries: readonly ShareEntry[],
): Promise<Bytes> {
  if (entries.length > MAX_SHARE_BLOBS) throw new ShareError('too_large')
  const encoded = encodeShareIndex(entries)
  if (encoded.length > MAX_SHARE_INDEX_BYTES) throw new ShareError('too_large')
  const sealed = await sealSmall(encoded, { key: shareKey, purpose: 'share-index', contextId: opaqueId, salt })
  if (sealed.length > MAX_SHARE_INDEX_BYTES) throw new ShareError('too_large')
  return sealed
}

/** Throws `ShareError`: `index_swapped` (not for this address), `index_invalid`, `index_unknown` (a later version). */
export async function openShareIndex(
  { shareKey, opaqueId }: ShareSeal,
  sealed: Uint8Array,
): Promise<readonly ShareEntry[]> {
  try {
    return decodeShareIndex(await openSmall(sealed, { key: shareKey, purpose: 'share-index', contextId: opaqueId }))
  } catch (cause) {
    if (cause instanceof SealError) throw new ShareError('index_swapped', { cause })
    throw cause
  }
}

export function encodeShareIndex(entries: readonly ShareEntry[]): Bytes {
  return encodeCbor(
    new Map<string, CborValue>([
      ['version', VERSION],
      ['assets', entries.map(encodeEntry)],
    ]),
  )
}

function encodeEntry({
  hash,
  secrets,
  size,
  name,
  type,
  modifiedAt,
  mark,
}: ShareEntry): ReadonlyMap<string, CborValue> {
  const fields = new Map<string, CborValue>([
    ['hash', fromHex(hash)],
    ['stream', concatBytes(secrets.key, secrets.noncePrefix, secrets.commitment)],
    ['size', size],
  ])
  if (name !== undefined) fields.set('name', name)
  if (type !== undefined) fields.set('type', type)
  if (modifiedAt !== undefined) fields.set('modified_at', modifiedAt)
  if (mark !== undefined) fields.set('mark', mark)
  return fields
}

/** Throws `ShareError`: `index_invalid`, or `index_unknown`. */
export function decodeShareIndex(bytes: Uint8Array): readonly ShareEntry[] {
  const index = mapOf(decoded(bytes))
  const version = index.get('version')
  if (version !== VERSION) throw new ShareError(typeof version === 'number' ? 'index_unknown' : 'index_invalid')
  const assets = index.get('assets')
  if (!Array.isArray(assets) || assets.length > MAX_SHARE_BLOBS) throw new ShareError('index_invalid')
  return assets.map((asset: unknown) => decodeEntry(mapOf(asset)))
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return decodeCbor(bytes)
  } catch (cause) {
    if (!(cause instanceof CborError)) throw cause
    throw new ShareError('index_invalid', { cause })
  }
}

/** Unknown members, of later clients, are ignored. */
function mapOf(value: unknown): ReadonlyMap<unknown, unknown> {
  if (value instanceof Map) return value
  throw new ShareError('index_invalid')
}

function decodeEntry(fields: ReadonlyMap<unknown, unknown>): ShareEntry {
  const [hash, stream, size] = [fields.get('hash'), fields.get('stream'), fields.get('size')]
  const hex = hash instanceof Uint8Array ? parseSha256Hex(toHex(hash)) : undefined
  const isWhole = stream instanceof Uint8Array && stream.length === STREAM_BYTES
  if (hex === undefined || !isWhole || !isCount(size)) throw new ShareError('index_invalid')
  return {
    hash: hex,
    secrets: {
      key: Uint8Array.from(stream.subarray(0, KEY_BYTES)),
      noncePrefix: Uint8Array.from(stream.subarray(KEY_BYTES, PREFIX_END)),
      commitment: Uint8Array.from(stream.subarray(PREFIX_END)),
    },
    size,
    name: textOf(fields, 'name'),
    type: textOf(fields, 'type'),
    modifiedAt: modifiedAtOf(fields),
    ...markOf(fields.get('mark')),
  }
}

function markOf(mark: unknown): Pick<ShareEntry, 'mark'> {
  return mark instanceof Uint8Array && mark.length === MARK_BYTES ? { mark: Uint8Array.from(mark) } : {}
}

function textOf(fields: ReadonlyMap<unknown, unknown>, name: 'name' | 'type' | 'modified_at'): string | undefined {
  const value = fields.get(name)
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !fitsHeader(name, value)) throw new ShareError('index_invalid')
  return value
}

function modifiedAtOf(fields: ReadonlyMap<unknown, unknown>): string | undefined {
  const text = textOf(fields, 'modified_at')
  if (text === undefined) return undefined
  const at = parseInstant(text)
  if (at === undefined) throw new ShareError('index_invalid')
  return formatInstant(at)
}
