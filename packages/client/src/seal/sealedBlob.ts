/**
 * The format of a sealed blob, shared by sealer and opener: format byte (1; 2 for a drop) ‖ [a drop: `kem_ct`] ‖ salt
 * 16 ‖ commitment 32 ‖ number of header blocks, 1 byte ‖ sealed header ‖ data segments. Header and segments are
 * AES-256-GCM in STREAM (Hoang, Reyhanitabar, Rogaway, Vizár, 2015): nonce = prefix 7 ‖ counter 4 ‖ last flag 1. The
 * header is segment 0, with all bytes before it as additional data. Only the last data segment has the flag.
 */
import { type Bytes, concatBytes, uint32be } from '@blindkeep/protocol/bytes'
import {
  COMMITMENT_BYTES,
  type FORMAT_BLOB,
  FORMAT_DROP,
  HEADER_BLOCK_BYTES,
  KEM_CIPHERTEXT_BYTES,
  MAX_DATA_SEGMENTS,
  MAX_HEADER_BLOCKS,
  SALT_BYTES,
  SEGMENT_PLAINTEXT_BYTES,
  SEGMENT_SEALED_BYTES,
  TAG_BYTES,
} from '@blindkeep/protocol/suites'
import type { StreamSecrets } from './derive.ts'
import { ownBytes } from './source.ts'

export type Format = typeof FORMAT_BLOB | typeof FORMAT_DROP

export function kemCtBytes(format: Format): number {
  return format === FORMAT_DROP ? KEM_CIPHERTEXT_BYTES : 0
}

/** Bytes up to and including the number of header blocks: the additional data of the sealed header. */
export function preambleBytes(format: Format): number {
  return 1 + kemCtBytes(format) + SALT_BYTES + COMMITMENT_BYTES + 1
}

function sealedHeaderBytes(blocks: number): number {
  return blocks * HEADER_BLOCK_BYTES + TAG_BYTES
}

/** Bytes before the data segments. */
export function prefixBytes(format: Format, blocks: number): number {
  return preambleBytes(format) + sealedHeaderBytes(blocks)
}

/** Data segments for these plaintext bytes; one, empty, for an empty file. Throws `RangeError` beyond the counter. */
export function segmentCountOf(plaintextSize: number): number {
  const count = Math.max(1, Math.ceil(plaintextSize / SEGMENT_PLAINTEXT_BYTES))
  const fits = Number.isSafeInteger(plaintextSize) && plaintextSize >= 0 && count <= MAX_DATA_SEGMENTS
  if (!fits) throw new RangeError('no sealed blob can have this size')
  return count
}

/** Bytes of a sealed blob with `bytesBefore` bytes before its data segments: the `size` that a drop declares. */
export function sealedSizeOf(bytesBefore: number, plaintextSize: number): number {
  return bytesBefore + segmentCountOf(plaintextSize) * TAG_BYTES + plaintextSize
}

/** Plaintext bytes in the data segments of a blob of this size, or undefined when no sealed blob has this size. */
export function plaintextSizeOf(sealedSize: number, bytesBefore: number): number | undefined {
  const segments = Math.ceil((sealedSize - bytesBefore) / SEGMENT_SEALED_BYTES)
  const plaintextSize = sealedSize - bytesBefore - segments * TAG_BYTES
  const isInRange = plaintextSize >= 0 && segments <= MAX_DATA_SEGMENTS
  return isInRange && segmentCountOf(plaintextSize) === segments ? plaintextSize : undefined
}

interface SealedSegments {
  /** Bytes before the data segments. */
  readonly prefixBytes: number
  readonly plaintextSize: number
}

/** Where data segment `index`, from 0, is in the sealed blob: `from` up to, not including, `to`. */
export function segmentBytes(
  { prefixBytes, plaintextSize }: SealedSegments,
  index: number,
): Readonly<Record<'from' | 'to', number>> {
  const from = prefixBytes + index * SEGMENT_SEALED_BYTES
  return { from, to: Math.min(from + SEGMENT_SEALED_BYTES, sealedSizeOf(prefixBytes, plaintextSize)) }
}

export function isHeaderBlockCount(blocks: number): boolean {
  return Number.isInteger(blocks) && blocks >= 1 && blocks <= MAX_HEADER_BLOCKS
}

/** The position of a segment in the stream: header 0, data from 1. */
interface SegmentPosition {
  readonly counter: number
  readonly last: boolean
}

export interface SegmentCipher {
  seal(position: SegmentPosition, plaintext: Uint8Array, additionalData?: Uint8Array): Promise<Bytes>
  /** Undefined when the tag does not verify. */
  open(position: SegmentPosition, sealed: Uint8Array, additionalData?: Uint8Array): Promise<Bytes | undefined>
}

/** AES-256-GCM of WebCrypto under the blob's stream key. */
export async function createSegmentCipher(secrets: StreamSecrets): Promise<SegmentCipher> {
  const usages: KeyUsage[] = ['encrypt', 'decrypt']
  const key = await crypto.subtle.importKey('raw', secrets.key, 'AES-GCM', false, usages)
  const parameters = (position: SegmentPosition, additionalData: Uint8Array | undefined): AesGcmParams => ({
    name: 'AES-GCM',
    iv: concatBytes(secrets.noncePrefix, uint32be(position.counter), Uint8Array.of(position.last ? 1 : 0)),
    tagLength: TAG_BYTES * 8,
    ...(additionalData === undefined ? {} : { additionalData: ownBytes(additionalData) }),
  })
  return {
    async seal(position, plaintext, additionalData) {
      const sealed = await crypto.subtle.encrypt(parameters(position, additionalData), key, ownBytes(plaintext))
      return new Uint8Array(sealed)
    },
    async open(position, sealed, additionalData) {
      try {
        const opened = await crypto.subtle.decrypt(parameters(position, additionalData), key, ownBytes(sealed))
        return new Uint8Array(opened)
      } catch (error) {
        // WebCrypto reports a wrong tag, and bytes too short for one, as OperationError. Any other error is not about
        // the bytes.
        if (error instanceof DOMException && error.name === 'OperationError') return undefined
        throw error
      }
    },
  }
}

export function tagOf(sealed: Uint8Array): Uint8Array {
  return sealed.subarray(sealed.length - TAG_BYTES)
}
