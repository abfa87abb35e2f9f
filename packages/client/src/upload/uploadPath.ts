import type { Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Call } from '../http/call.ts'
import type { SendPath } from '../send/sendPath.ts'

interface BlobDeclaration {
  readonly role: BlobRole
  readonly hash: Sha256Hex
  /** Ciphertext bytes. */
  readonly size: number
  /** The envelope of the bundle, as the original has it. */
  readonly envelope: ManifestEnvelope
}

/** Sends into an upload of the owner. A creation needs no key of its own: asset, role and hash identify the session. */
export function uploadPath(call: Call, { role, hash, size, envelope }: BlobDeclaration): SendPath {
  const { album_id: albumId } = envelope
  if (albumId === undefined || albumId === null) throw new RangeError('an upload is declared for an album')
  const pathOf = (uploadId: UploadId) => ({ upload_id: uploadId })
  return {
    names: { ask: 'uploadSession', append: 'appendUpload' },

    async create(options) {
      const { body } = await call('createUpload', {
        body: {
          album_id: albumId,
          size,
          hash,
          // The real type stays sealed.
          content_type: 'application/octet-stream',
          blob_role: role,
          crypto_suite_id: envelope.crypto_suite_id,
          protocol_version: envelope.protocol_version,
          key_mode: envelope.key_mode,
          manifest_envelope: { ...envelope, ciphertext_hash: hash },
        },
        ...options,
      })
      return { uploadId: body.upload_id, suggestedChunkBytes: body.suggested_chunk_size }
    },

    async ask(uploadId, options) {
      const { headers } = await call('uploadSession', { path: pathOf(uploadId), ...options })
      return headers
    },

    async append({ uploadId, offset, checksum, bytes }, options) {
      const { headers } = await call('appendUpload', {
        path: pathOf(uploadId),
        headers: { 'X-Service-Offset': String(offset), 'X-Service-Checksum': checksum },
        body: bytes,
        ...options,
      })
      return headers
    },
  }
}
