import { FORMAT_DROP, SEGMENT_PLAINTEXT_BYTES, SEGMENT_SEALED_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { prefixBytes, sealedSizeOf } from './sealedBlob.ts'

/** Enough for a name and a short note. A longer note takes more blocks and leaves less for the file. */
const HEADER_BLOCKS_USUAL = 1

/**
 * Plaintext bytes of the largest file whose sealed drop, with a header of one block, has at most `sealedBytes`.
 * Undefined when even an empty file does not fit.
 */
export function largestPlaintext(sealedBytes: number): number | undefined {
  const bytesForSegments = sealedBytes - prefixBytes(FORMAT_DROP, HEADER_BLOCKS_USUAL)
  if (bytesForSegments < TAG_BYTES) return undefined
  const fullSegments = Math.floor(bytesForSegments / SEGMENT_SEALED_BYTES)
  const rest = bytesForSegments - fullSegments * SEGMENT_SEALED_BYTES
  return fullSegments * SEGMENT_PLAINTEXT_BYTES + Math.max(0, rest - TAG_BYTES)
}

/** Bytes of the sealed drop of a file, with a header of one block. */
export function usualSealedBytes(fileBytes: number): number {
  return sealedSizeOf(prefixBytes(FORMAT_DROP, HEADER_BLOCKS_USUAL), fileBytes)
}
