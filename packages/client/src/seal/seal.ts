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
  /** K, 32 bytes. Never seal two contents under one key. */
  readonly key: Uint8Array
  readonly purpose: Purpose
  /** 16 bytes. */
  readonly contextId: Uint8Array
  readonly header: Header
  /** Bytes in the data segments, `header.size` by default. More hides the size of the file behind zeros. */
  readonly plaintextSize?: number | undefined
  /** 1120 bytes, for a drop: the blob then has format 2. */
  readonly kemCt?: Uint8Array | undefined
  /** 16 bytes; random by default. To resume, pass the salt and exactly the header of the first attempt. */
  readonly salt?: Uint8Array | undefined
}

/** Seals one content by segments, in any order. The same options give the same bytes, so that uploads can resume. */
export interface Sealer {
  /** All bytes before the data segments. */
  readonly prefix: Bytes
  readonly salt: Bytes
  readonly header: Header
  /** Ciphertext bytes of the whole blob. */
  readonly sealedSize: number
  readonly plaintextSize: number
  readonly segmentCount: number
  /** Data segment `index`, from 0. Throws `RangeError` unless `plaintext` has exactly the length of that segment. */
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

interface SealedBeginning {
  /** All bytes before the data segments, as they were sealed. */
  readonly prefix: Bytes
  readonly salt: Bytes
  readonly header: Header
  /** The blob's own cipher, from `openPrefix`. */
  readonly cipher: SegmentCipher
  /** Plaintext bytes in the data segments. */
  readonly plaintextSize: number
}

/** Seals the same content after a given prefix, byte for byte the same blob. Never for another content. */
export function continueSealer({ prefix, salt, header, cipher, plaintextSize }: SealedBeginning): Sealer {
  if (plaintextSize < header.size) throw new RangeError('plaintextSize must be at least the size of the file')
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

/** The plaintext bytes of data segment `index`: `from` up to, not including, `to`. */
export function segmentRange(
  sealer: Pick<Sealer, 'plaintextSize' | 'segmentCount'>,
  index: number,
): { readonly from: number; readonly to: number } {
  if (!Number.isInteger(index) || index < 0 || index >= sealer.segmentCount)
    throw new RangeError(`there is no segment ${index}`)
  const from = index * SEGMENT_PLAINTEXT_BYTES
  return { from, to: Math.min(from + SEGMENT_PLAINTEXT_BYTES, sealer.plaintextSize) }
}

/** Seals a secret of at most one segment (1 MiB): a key, name, label or index. Throws `RangeError` for more. */
export async function sealSmall(
  content: Uint8Array,
  options: Omit<SealerOptions, 'header' | 'plaintextSize' | 'kemCt'>,
): Promise<Bytes> {
  const sealer = await createSealer({ ...options, header: { size: content.length } })
  if (sealer.segmentCount > 1) throw new RangeError('a small secret must fit one segment')
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, content))
}
