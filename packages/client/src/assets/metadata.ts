/**
 * The metadata blob: a sealed blob of format 1, purpose `metadata`, context file_id, under the asset's own key. Its
 * header has what an album shows of a file: name, type, modified_at, note, sender. It has no content, so that a grid of
 * names costs one small request each. Later fields go into the header, whose readers ignore unknown fields; large data
 * becomes content, which today's readers verify and ignore, or a derivative. `size` is 0, the size of the blob's own
 * content; the size of the file is in the manifest and in the original's header.
 */
import { type Bytes, concatBytes, uuidBytes } from '@blindkeep/protocol/bytes'
import type { AssetId } from '@blindkeep/protocol/ids'
import { streamOf } from '../seal/byteReader.ts'
import { type FileFacts, headerOf } from '../seal/fileHeader.ts'
import type { Header } from '../seal/header.ts'
import { openBlob } from '../seal/open.ts'
import { createSealer } from '../seal/seal.ts'

/** A full header has 64 KiB; the rest is for contents of later versions. */
export const MAX_METADATA_BYTES = 1024 * 1024

interface MetadataSeal {
  /** K, 32 bytes. */
  readonly key: Bytes
  readonly assetId: AssetId
}

const sealOf = ({ key, assetId }: MetadataSeal) =>
  ({ key, purpose: 'metadata', contextId: uuidBytes(assetId) }) as const

/** Throws `RangeError` for facts that are too long for a header. */
export async function sealMetadata(seal: MetadataSeal, facts: FileFacts): Promise<Bytes> {
  const sealer = await createSealer({ ...sealOf(seal), header: headerOf(0, facts) })
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, new Uint8Array(0)))
}

/** Verifies the whole blob. Throws `SealError`. */
export async function openMetadata(seal: MetadataSeal, sealed: Uint8Array): Promise<Header> {
  const { header, content } = await openBlob(streamOf(sealed), sealOf(seal))
  await content.pipeTo(new WritableStream())
  return header
}
