/** Seals blobs that no honest client makes, which a reader must refuse. */
import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { HEADER_BLOCK_BYTES } from '@blindkeep/protocol/suites'
import { type Purpose, streamSecrets } from '../../packages/client/src/seal/derive.ts'
import { createSegmentCipher } from '../../packages/client/src/seal/sealedBlob.ts'
import { BLOB_KEY, FILE_ID, SALT } from './inputs.ts'

interface ForgedSegment {
  readonly plaintext: Uint8Array
  readonly last: boolean
  readonly counter?: number
}

export interface Forgery {
  readonly format?: number
  readonly purpose?: Purpose
  /** The stated number, whatever the header's true length. */
  readonly headerBlocks?: number
  readonly header?: Uint8Array
  readonly segments?: readonly ForgedSegment[]
}

/** Zero-padded to whole blocks, without any check. */
export function paddedHeader(fields: ReadonlyMap<string | number, CborValue> | readonly CborValue[]): Bytes {
  return padded(encodeCbor(fields))
}

export function padded(encoded: Uint8Array): Bytes {
  const bytes = new Uint8Array(Math.max(1, Math.ceil(encoded.length / HEADER_BLOCK_BYTES)) * HEADER_BLOCK_BYTES)
  bytes.set(encoded)
  return bytes
}

export async function forgeBlob(forgery: Forgery): Promise<Bytes> {
  const { format = 1, purpose = 'original', segments = [] } = forgery
  const header = forgery.header ?? paddedHeader(new Map([['size', 0]]))
  const secrets = streamSecrets({ key: BLOB_KEY, salt: SALT, purpose, contextId: FILE_ID })
  const cipher = await createSegmentCipher(secrets)
  const blocks = forgery.headerBlocks ?? header.length / HEADER_BLOCK_BYTES
  const preamble = concatBytes(Uint8Array.of(format), SALT, secrets.commitment, Uint8Array.of(blocks))
  const parts: Uint8Array[] = [preamble, await cipher.seal({ counter: 0, last: false }, header, preamble)]
  for (const [index, segment] of segments.entries())
    parts.push(await cipher.seal({ counter: segment.counter ?? index + 1, last: segment.last }, segment.plaintext))
  return concatBytes(...parts)
}
