import type { AdoptRequest } from '@blindkeep/protocol/schemas/assets'
import type { CreateUploadRequest } from '@blindkeep/protocol/schemas/uploads'
import type { Declared } from '../../domain/assets/manifest.ts'

type Declaration = Pick<CreateUploadRequest, keyof CreateUploadRequest & keyof AdoptRequest>

/** The declaration of an upload or an adoption, as the rules name it. */
export function declaredOf(json: Declaration, { assetId, role }: Pick<Declared, 'assetId' | 'role'>): Declared {
  return {
    assetId,
    role,
    albumId: json.album_id,
    size: json.size,
    ciphertextHash: json.hash,
    contentType: json.content_type,
    suiteId: json.crypto_suite_id,
    protocolVersion: json.protocol_version,
    keyMode: json.key_mode,
    envelope: json.manifest_envelope,
  }
}
