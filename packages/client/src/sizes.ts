import { FORMAT_DROP, SEGMENT_PLAINTEXT_BYTES, SEGMENT_SEALED_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { prefixBytes, sealedSizeOf } from './seal/sealedBlob.ts'

/** A name and a short note; a long note takes more blocks and leaves the file less. */
const HEADER_BLOCKS_USUAL = 1

/** Bytes of the largest file whose sealed drop, with a header of one block, has at most `sealedBytes`; undefined when not even an empty one fits. */
export function largestPlaintext(sealedBytes: number): number | undefined {
  const room = sealedBytes - prefixBytes(FORMAT_DROP, HEADER_BLOCKS_USUAL)
  if (room < TAG_BYTES) return undefined
  const fullSegments = Math.floor(room / SEGMENT_SEALED_BYTES)
  const rest = room - fullSegments * SEGMENT_SEALED_BYTES
  return fullSegments * SEGMENT_PLAINTEXT_BYTES + Math.max(0, rest - TAG_BYTES)
}

/** Bytes of the sealed drop of a file with an ordinary name and note, before it is sealed. */
export function usualSealedBytes(fileBytes: number): number {
  return sealedSizeOf(prefixBytes(FORMAT_DROP, HEADER_BLOCKS_USUAL), fileBytes)
}
