import { fromBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import { MAX_PROVENANCE_BYTES } from '@blindkeep/protocol/manifest'
import { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { base64, integer, object, text } from '@blindkeep/protocol/schemas/shape'
import { CreateUploadResponse } from '@blindkeep/protocol/schemas/uploads'
import { SALT_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { type Static, Type } from 'typebox'
import { derivedKey, type KeyPlace } from '../assets/assetKeys.ts'
import { MAX_METADATA_BYTES } from '../assets/metadata.ts'
import { readAnswer } from '../http/answer.ts'
import { FileHeader } from '../seal/fileHeader.ts'
import { createSealer, type Sealer } from '../seal/seal.ts'
import { MAX_TAGS_BYTES } from '../send/sendState.ts'

const uploadId = Type.Optional(CreateUploadResponse.properties.upload_id)

/**
 * All that a fresh process of the same account needs to finish an upload, besides the file: plain JSON. It opens nothing by itself, but it names the file:
 * keep it only where that may be known, and drop it once the upload has finished. Everything is signed already, so the device is not needed again.
 */
export const UploadState = object('UploadState', {
  version: integer('1.', 1),
  baseUrl: text('The server’s public URL.'),
  envelope: ManifestEnvelope,
  original: object('UploadOriginal', {
    size: integer('Ciphertext bytes.', 1),
    salt: base64('The blob’s salt.', { min: SALT_BYTES, max: SALT_BYTES }),
    header: FileHeader,
    tags: base64('The tag of the header and of every segment, as the hashing pass found them.', {
      min: 2 * TAG_BYTES,
      max: MAX_TAGS_BYTES,
    }),
    uploadId,
  }),
  metadata: object('UploadMetadata', {
    bytes: base64('The sealed metadata.', { min: 1, max: MAX_METADATA_BYTES }),
    uploadId,
  }),
  provenance: object('UploadProvenance', {
    bytes: base64('The signed manifest.', { min: 1, max: MAX_PROVENANCE_BYTES }),
    uploadId,
  }),
})
export type UploadState = Static<typeof UploadState>

/** Reads a state that was kept as JSON. Throws `RangeError` for what is none. */
export function parseUploadState(json: unknown): UploadState {
  const read = readAnswer(UploadState, json)
  if (read.fault !== undefined) throw new RangeError(`This is no state of an upload: ${read.fault}.`)
  if (read.value.version !== 1) throw new RangeError('This upload was begun by a newer client.')
  return read.value
}

/** Where the asset's key hangs, as its manifest has it. */
export function placeOf(
  { album_id: albumId, amk_version: amkVersion, file_id: assetId }: ManifestEnvelope,
  accountKey: KeyPlace['accountKey'],
): KeyPlace {
  if (albumId === undefined || albumId === null) throw new RangeError('the manifest names no album')
  return { accountKey, albumId, amkVersion, assetId }
}

/** The sealer that gives the very bytes of the hashing pass. */
export function originalSealer(
  { envelope, original }: UploadState,
  accountKey: KeyPlace['accountKey'],
): Promise<Sealer> {
  return createSealer({
    key: derivedKey(placeOf(envelope, accountKey)),
    purpose: 'original',
    contextId: uuidBytes(envelope.file_id),
    header: original.header,
    salt: fromBase64(original.salt),
  })
}
