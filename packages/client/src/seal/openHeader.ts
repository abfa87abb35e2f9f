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

/** K itself, or what finds it out once the blob's `kem_ct` is known (undefined in a blob that is no drop). */
export type KeySource = Uint8Array | ((kemCt: Uint8Array | undefined) => Uint8Array | Promise<Uint8Array>)

export interface OpenContext {
  readonly key: KeySource
  readonly purpose: Purpose
  /** 16 bytes. */
  readonly contextId: Uint8Array
}

/** What opens a blob: the key that it was sealed under, or what was derived of that for this one blob, which opens no other. */
export type BlobOpener = OpenContext | { readonly secrets: StreamSecrets }

/** Enough for the header of any drop whose name and note fit one block: what a list of names asks for with one range each. */
export const HEADER_BYTES_USUAL: number = prefixBytes(FORMAT_DROP, 1)

/** Bytes before the data segments, or as many as it takes to know. Throws `SealError` for what is no sealed blob. */
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
  /** What opens this blob and no other. */
  readonly secrets: StreamSecrets
  /** What it takes to seal the same content to the same bytes again: the blob's own salt, and a drop's `kem_ct`. */
  readonly salt: Bytes
  readonly kemCt: Bytes | undefined
}

/** `prefix` is exactly the bytes before the data segments. */
export async function openPrefix(prefix: Uint8Array, opener: BlobOpener): Promise<OpenedPrefix> {
  const format = formatOf(prefix)
  const preamble = prefix.subarray(0, preambleBytes(format))
  const parts = partsOf(preamble, format)
  const secrets = await secretsOf(parts, opener)
  const cipher = await createSegmentCipher(secrets)
  const padded = await cipher.open({ counter: 0, last: false }, prefix.subarray(preamble.length), preamble)
  if (padded === undefined)
    throw new SealError('header_altered', 'the header, or what stands before it, is not as it was sealed')
  return { header: decodeHeader(padded), cipher, secrets, salt: parts.salt, kemCt: parts.kemCt }
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

/** The commitment comes before any decryption, as AES-GCM alone lets one ciphertext open under two keys. */
async function secretsOf({ kemCt, salt, commitment }: PreambleParts, opener: BlobOpener): Promise<StreamSecrets> {
  const secrets = 'secrets' in opener ? opener.secrets : await derivedSecrets(opener, salt, kemCt)
  if (!equalBytes(secrets.commitment, commitment))
    throw new SealError('wrong_key', 'sealed under another key, for another purpose or for another place')
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

/** Gives the first bytes of a blob, or as many as it has. */
export type FirstBytes = (count: number) => Promise<Bytes>

/** The bytes before the data segments, with one request, or two when name and note are long. Throws `SealError`, or what `firstBytes` does. */
export async function readPrefix(firstBytes: FirstBytes): Promise<Bytes> {
  let bytes = await firstBytes(HEADER_BYTES_USUAL)
  const bytesNeeded = prefixBytesOf(bytes)
  if (bytes.length < bytesNeeded) bytes = await firstBytes(bytesNeeded)
  if (bytes.length < bytesNeeded) throw new SealError('truncated', 'the blob ends inside its header')
  return bytes.slice(0, bytesNeeded)
}
