/**
 * The thumbnail of a picture: a derivative of its asset. A sealed blob of format 1, purpose `derivative`, context
 * file_id; its header has a media type and the name `thumbnail of` with the hash of its original, so that a server
 * cannot show the one of a former original. Always sealed under the key that derives from the album, also when the
 * asset's own key is wrapped: the sender of a drop chose that key, and could make the owner's browser decode any
 * picture that a malicious server adds as a derivative (decisions/thumbnails.md).
 */
import { type Bytes, concatBytes, uuidBytes } from '@blindkeep/protocol/bytes'
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { FORMAT_BLOB } from '@blindkeep/protocol/suites'
import { createByteReader, streamOf } from '../seal/byteReader.ts'
import { openBlob } from '../seal/open.ts'
import type { OpenContext } from '../seal/openHeader.ts'
import { createSealer } from '../seal/seal.ts'
import { prefixBytes, sealedSizeOf } from '../seal/sealedBlob.ts'
import type { AssetBlob, AssetFacts } from './assetFacts.ts'
import { derivedKey } from './assetKeys.ts'

/** Bytes of the picture itself. */
export const MAX_THUMBNAIL_BYTES = 64 * 1024
/** Sealed bytes; a larger derivative is not a thumbnail. */
export const MAX_THUMBNAIL_SEALED_BYTES: number = sealedSizeOf(prefixBytes(FORMAT_BLOB, 1), MAX_THUMBNAIL_BYTES)

/** `originalHash`: SHA-256 of the sealed original, lowercase hex. */
const nameOf = (originalHash: Sha256Hex) => `thumbnail of ${originalHash}`

interface Signature {
  readonly type: string
  /** The bytes of the signature, at their positions. */
  readonly parts: readonly { readonly at: number; readonly text: string }[]
}

/** Signatures of pictures (WHATWG MIME Sniffing, section 6.1). JPEG and PNG too: not every browser writes WebP. */
const SIGNATURES: readonly Signature[] = [
  {
    type: 'image/webp',
    parts: [
      { at: 0, text: 'RIFF' },
      { at: 8, text: 'WEBP' },
    ],
  },
  { type: 'image/jpeg', parts: [{ at: 0, text: '\xFF\xD8\xFF' }] },
  { type: 'image/png', parts: [{ at: 0, text: '\x89PNG\r\n\x1A\n' }] },
]

/** The media type of the signature; undefined for bytes that cannot be a thumbnail. */
function pictureType(bytes: Uint8Array): string | undefined {
  const matches = ({ at, text }: Signature['parts'][number]) =>
    text === String.fromCharCode(...bytes.subarray(at, at + text.length))
  return SIGNATURES.find(({ parts }) => parts.every(matches))?.type
}

/** Album and epoch come from the server: wrong ones give a key that opens nothing. */
function sealOf(accountKey: Bytes, { assetId, albumId, envelope }: AssetFacts): OpenContext & { readonly key: Bytes } {
  const keyInputs = { accountKey, assetId, albumId: envelope.album_id ?? albumId, amkVersion: envelope.amk_version }
  return { key: derivedKey(keyInputs), purpose: 'derivative', contextId: uuidBytes(assetId) }
}

interface ThumbnailOf {
  readonly asset: AssetFacts
  /** The original that the picture shows. */
  readonly original: Pick<AssetBlob, 'hash'>
}

/** Throws `RangeError` for bytes that are not a picture, and for a picture that is too large. */
export async function sealThumbnail(
  accountKey: Bytes,
  { asset, original }: ThumbnailOf,
  picture: Uint8Array,
): Promise<Bytes> {
  const type = pictureType(picture)
  if (type === undefined) throw new RangeError('a thumbnail must be a picture in WebP, JPEG or PNG')
  if (picture.length > MAX_THUMBNAIL_BYTES) throw new RangeError(`a thumbnail has at most ${MAX_THUMBNAIL_BYTES} bytes`)
  const header = { size: picture.length, name: nameOf(original.hash), type }
  const sealer = await createSealer({ ...sealOf(accountKey, asset), header })
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, picture))
}

/** The picture; undefined for another derivative or original. Throws `SealError` if sealed for another asset. */
export async function openThumbnail(
  accountKey: Bytes,
  { asset, original }: ThumbnailOf,
  sealed: Uint8Array,
): Promise<Bytes | undefined> {
  const { header, content } = await openBlob(streamOf(sealed), sealOf(accountKey, asset))
  const picture = await createByteReader(content).read(sealed.length)
  const isThumbnail = header.name === nameOf(original.hash) && picture.length <= MAX_THUMBNAIL_BYTES
  return isThumbnail && pictureType(picture) === header.type ? picture : undefined
}
