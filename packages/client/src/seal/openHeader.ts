import { type Bytes, equalBytes } from '@blindkeep/protocol/bytes'
import { COMMITMENT_BYTES, FORMAT_BLOB, FORMAT_DROP, SALT_BYTES } from '@blindkeep/protocol/suites'
import { type Purpose, type StreamSecrets, streamSecrets } from './derive.ts'
import { decodeHeader, type Header } from './header.ts'
import { SealError } from './sealError.ts'
import {
  createSegmentCipher,
  type Format,
  isHeaderBlockCount,
  kemCtBytes,
  preambleBytes,
  prefixBytes,
  type SegmentCipher,
} from './sealedBlob.ts'

/** K, or a function that derives it from the blob's `kem_ct` (undefined unless the blob is a drop). */
export type KeySource = Uint8Array | ((kemCt: Uint8Array | undefined) => Uint8Array | Promise<Uint8Array>)

export interface OpenContext {
  readonly key: KeySource
  readonly purpose: Purpose
  /** 16 bytes. */
  readonly contextId: Uint8Array
}

/** What opens a blob: its key and context, or the secrets of this one blob, which open no other. */
export type BlobOpener = OpenContext | { readonly secrets: StreamSecrets }

/** Enough for a drop's prefix with one header block: the first range request for a header asks for it. */
export const HEADER_BYTES_USUAL: number = prefixBytes(FORMAT_DROP, 1)

/** Bytes before the data segments, or those needed to know. Throws `SealError` for bytes that are no sealed blob. */
export function prefixBytesOf(bytes: Uint8Array): number {
  if (bytes.length === 0) return 1
  const preamble = preambleBytes(formatOf(bytes))
  const blocks = bytes[preamble - 1]
  if (blocks === undefined) return preamble
  if (!isHeaderBlockCount(blocks)) throw new SealError('header_blocks', `a header of ${blocks} blocks`)
  return prefixBytes(formatOf(bytes), blocks)
}

function formatOf(bytes: Uint8Array): Format {
  const format = bytes[0]
  if (format !== FORMAT_BLOB && format !== FORMAT_DROP)
    throw new SealError('unknown_format', 'not a sealed blob, or one of a later version')
  return format
}

export interface OpenedPrefix {
  readonly header: Header
  readonly cipher: SegmentCipher
  /** These secrets open this blob and no other. */
  readonly secrets: StreamSecrets
  /** To seal the same content to the same bytes again: the blob's salt, and `kem_ct` of a drop. */
  readonly salt: Bytes
  readonly kemCt: Bytes | undefined
}

/** `prefix`: exactly the bytes before the data segments. Throws `SealError`. */
export async function openPrefix(prefix: Uint8Array, opener: BlobOpener): Promise<OpenedPrefix> {
  const format = formatOf(prefix)
  const preamble = prefix.subarray(0, preambleBytes(format))
  const parts = partsOf(preamble, format)
  const secrets = await secretsOf(parts, opener)
  const cipher = await createSegmentCipher(secrets)
  const padded = await cipher.open({ counter: 0, last: false }, prefix.subarray(preamble.length), preamble)
  if (padded === undefined) throw new SealError('header_altered', 'the header, or the bytes before it, were altered')
  return { header: decodeHeader(padded), cipher, secrets, salt: parts.salt, kemCt: parts.kemCt }
}

/** Throws `SealError` unless these are exactly the bytes before the data segments, by their own count. */
export function requireWholePrefix(prefix: Uint8Array): void {
  if (prefixBytesOf(prefix) !== prefix.length) throw new SealError('truncated', 'the prefix has another length')
}

/** Of a whole prefix. */
export function saltOf(prefix: Uint8Array): Bytes {
  const format = formatOf(prefix)
  return partsOf(prefix.subarray(0, preambleBytes(format)), format).salt
}

interface PreambleParts {
  readonly kemCt: Bytes | undefined
  readonly salt: Bytes
  readonly commitment: Bytes
}

function partsOf(preamble: Uint8Array, format: Format): PreambleParts {
  const saltStart = 1 + kemCtBytes(format)
  const saltEnd = saltStart + SALT_BYTES
  const own = (from: number, to: number) => Uint8Array.from(preamble.subarray(from, to))
  return {
    kemCt: format === FORMAT_DROP ? own(1, saltStart) : undefined,
    salt: own(saltStart, saltEnd),
    commitment: own(saltEnd, saltEnd + COMMITMENT_BYTES),
  }
}

/** Compares the commitment before it decrypts: with AES-GCM alone one ciphertext can open under two keys. */
async function secretsOf({ kemCt, salt, commitment }: PreambleParts, opener: BlobOpener): Promise<StreamSecrets> {
  const secrets = 'secrets' in opener ? opener.secrets : await derivedSecrets(opener, salt, kemCt)
  if (!equalBytes(secrets.commitment, commitment))
    throw new SealError('wrong_key', 'sealed under another key, purpose or context')
  return secrets
}

async function derivedSecrets(
  { key: source, purpose, contextId }: OpenContext,
  salt: Bytes,
  kemCt: Bytes | undefined,
): Promise<StreamSecrets> {
  const key = typeof source === 'function' ? await source(kemCt) : source
  return streamSecrets({ key, salt, purpose, contextId })
}

/** Returns the first bytes of a blob, or fewer when the blob is shorter. */
type FirstBytes = (count: number) => Promise<Bytes>

/** The bytes before the data segments, in one request or, for long headers, two. Throws `SealError`. */
export async function readPrefix(firstBytes: FirstBytes): Promise<Bytes> {
  let bytes = await firstBytes(HEADER_BYTES_USUAL)
  const bytesNeeded = prefixBytesOf(bytes)
  if (bytes.length < bytesNeeded) bytes = await firstBytes(bytesNeeded)
  if (bytes.length < bytesNeeded) throw new SealError('truncated', 'the blob ends inside its header')
  return bytes.slice(0, bytesNeeded)
}
