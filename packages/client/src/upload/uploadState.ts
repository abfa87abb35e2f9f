import { fromBase64, uuidBytes } from '@blindkeep/protocol/bytes'
import { MAX_PROVENANCE_BYTES } from '@blindkeep/protocol/manifest'
import { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import { base64, integer, object, text } from '@blindkeep/protocol/schemas/shape'
import { CreateUploadResponse } from '@blindkeep/protocol/schemas/uploads'
import type { Static } from '@blindkeep/protocol/static'
import { SALT_BYTES, TAG_BYTES } from '@blindkeep/protocol/suites'
import { Type } from 'typebox'
import { type AssetKeyInputs, derivedKey } from '../assets/assetKeys.ts'
import { MAX_METADATA_BYTES } from '../assets/metadata.ts'
import { readAnswer } from '../http/answer.ts'
import { FileHeader } from '../seal/fileHeader.ts'
import { createSealer, type Sealer } from '../seal/seal.ts'
import { MAX_TAGS_BYTES } from '../send/sendState.ts'

const uploadId = Type.Optional(CreateUploadResponse.properties.upload_id)

/**
 * Everything that another process of the same account needs to finish an upload, besides the file: plain JSON. It opens
 * nothing, but it contains the name of the file: store it only where the name may be known, and delete it once the
 * upload is finished. Everything is signed, so the device is not needed again.
 */
export const UploadState = object('UploadState', {
  version: integer('1.', 1),
  baseUrl: text('The server’s public URL.'),
  envelope: ManifestEnvelope,
  original: object('UploadOriginal', {
    size: integer('Ciphertext bytes.', 1),
    salt: base64('The blob’s salt.', { min: SALT_BYTES, max: SALT_BYTES }),
    header: FileHeader,
    tags: base64('The tags of the header and of every segment, from the hashing pass.', {
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

/** Reads a stored state. Throws `RangeError` for anything else. */
export function parseUploadState(json: unknown): UploadState {
  const read = readAnswer(UploadState, json)
  if (read.fault !== undefined) throw new RangeError(`This is not the state of an upload: ${read.fault}.`)
  if (read.value.version !== 1) throw new RangeError('A newer client began this upload.')
  return read.value
}

/** The inputs of the asset's key, from its manifest. */
export function keyInputsOf(
  { album_id: albumId, amk_version: amkVersion, file_id: assetId }: ManifestEnvelope,
  accountKey: AssetKeyInputs['accountKey'],
): AssetKeyInputs {
  if (albumId === undefined || albumId === null) throw new RangeError('the manifest has no album')
  return { accountKey, albumId, amkVersion, assetId }
}

/** The sealer that reproduces the bytes of the hashing pass. */
export function originalSealer(
  { envelope, original }: UploadState,
  accountKey: AssetKeyInputs['accountKey'],
): Promise<Sealer> {
  return createSealer({
    key: derivedKey(keyInputsOf(envelope, accountKey)),
    purpose: 'original',
    contextId: uuidBytes(envelope.file_id),
    header: original.header,
    salt: fromBase64(original.salt),
  })
}
