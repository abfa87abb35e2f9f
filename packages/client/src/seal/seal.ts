import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import {
  FORMAT_BLOB,
  FORMAT_DROP,
  HEADER_BLOCK_BYTES,
  KEM_CIPHERTEXT_BYTES,
  SALT_BYTES,
  SEGMENT_PLAINTEXT_BYTES,
} from '@blindkeep/protocol/suites'
import { type Purpose, streamSecrets } from './derive.ts'
import { encodeHeader, type Header } from './header.ts'
import { createSegmentCipher, type SegmentCipher, sealedSizeOf, segmentCountOf } from './sealedBlob.ts'

export interface SealerOptions {
  /** K, 32 bytes, never used for another content. */
  readonly key: Uint8Array
  readonly purpose: Purpose
  /** 16 bytes. */
  readonly contextId: Uint8Array
  readonly header: Header
  /** What the data segments hold; more than `header.size` hides the size behind zeros. The header's size when absent. */
  readonly plaintextSize?: number | undefined
  /** A drop's, 1120 bytes; makes the blob one of format 2. */
  readonly kemCt?: Uint8Array | undefined
  /** 16 bytes; random when absent. To go on with a send, pass the salt and the very header of its first try. */
  readonly salt?: Uint8Array | undefined
}

/** Seals one content, segment by segment and in any order. The same options give the same bytes, so a send that was cut can seal again what is missing. */
export interface Sealer {
  /** All bytes before the data segments. */
  readonly prefix: Bytes
  readonly salt: Bytes
  readonly header: Header
  /** Bytes of ciphertext in all. */
  readonly sealedSize: number
  readonly plaintextSize: number
  readonly segmentCount: number
  /** Data segment `index`, from 0. Throws `RangeError` unless the plaintext is exactly as long as that segment. */
  sealSegment(index: number, plaintext: Uint8Array): Promise<Bytes>
}

export async function createSealer(options: SealerOptions): Promise<Sealer> {
  const { purpose, contextId, header, kemCt } = options
  const salt = Uint8Array.from(options.salt ?? crypto.getRandomValues(new Uint8Array(SALT_BYTES)))
  const plaintextSize = options.plaintextSize ?? header.size
  const secrets = streamSecrets({ key: options.key, salt, purpose, contextId })
  const cipher = await createSegmentCipher(secrets)
  const paddedHeader = encodeHeader(header)
  const preamble = concatBytes(
    Uint8Array.of(kemCt === undefined ? FORMAT_BLOB : FORMAT_DROP),
    kemCt === undefined ? new Uint8Array(0) : requireKemCt(kemCt),
    salt,
    secrets.commitment,
    Uint8Array.of(paddedHeader.length / HEADER_BLOCK_BYTES),
  )
  const prefix = concatBytes(preamble, await cipher.seal({ counter: 0, last: false }, paddedHeader, preamble))
  return continueSealer({ prefix, salt, header, cipher, plaintextSize })
}

export interface SealedBeginning {
  /** All bytes before the data segments, as they were sealed. */
  readonly prefix: Bytes
  readonly salt: Bytes
  readonly header: Header
  /** The blob's own, as `openPrefix` gives it. */
  readonly cipher: SegmentCipher
  /** What the data segments hold, in bytes. */
  readonly plaintextSize: number
}

/** Goes on from a beginning that is there: with the content that was sealed after it, this gives the same blob again, byte for byte. Not for another content. */
export function continueSealer({ prefix, salt, header, cipher, plaintextSize }: SealedBeginning): Sealer {
  if (plaintextSize < header.size) throw new RangeError('the data segments hold at least the file')
  const segmentCount = segmentCountOf(plaintextSize)
  return {
    prefix,
    salt,
    header,
    sealedSize: sealedSizeOf(prefix.length, plaintextSize),
    plaintextSize,
    segmentCount,
    async sealSegment(index, plaintext) {
      const { from, to } = segmentRange({ plaintextSize, segmentCount }, index)
      if (plaintext.length !== to - from) throw new RangeError(`segment ${index} holds ${to - from} bytes`)
      return cipher.seal({ counter: index + 1, last: index === segmentCount - 1 }, plaintext)
    },
  }
}

function requireKemCt(kemCt: Uint8Array): Uint8Array {
  if (kemCt.length !== KEM_CIPHERTEXT_BYTES) throw new RangeError(`kem_ct is ${KEM_CIPHERTEXT_BYTES} bytes`)
  return kemCt
}

/** The bytes of plaintext that data segment `index` holds, `to` not included. */
export function segmentRange(
  sealer: Pick<Sealer, 'plaintextSize' | 'segmentCount'>,
  index: number,
): { readonly from: number; readonly to: number } {
  if (!Number.isInteger(index) || index < 0 || index >= sealer.segmentCount)
    throw new RangeError(`there is no segment ${index}`)
  const from = index * SEGMENT_PLAINTEXT_BYTES
  return { from, to: Math.min(from + SEGMENT_PLAINTEXT_BYTES, sealer.plaintextSize) }
}

/** A whole small secret as one sealed blob: a key, a name, a label, an index. Nothing outside 1 MiB belongs here. */
export async function sealSmall(
  content: Uint8Array,
  options: Omit<SealerOptions, 'header' | 'plaintextSize' | 'kemCt'>,
): Promise<Bytes> {
  const sealer = await createSealer({ ...options, header: { size: content.length } })
  if (sealer.segmentCount > 1) throw new RangeError('a small secret fits one segment')
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, content))
}
