import { formatInstant } from '@blindkeep/protocol/ids'
import type { BlobVerdictResponse, StorageVerifyResponse } from '@blindkeep/protocol/schemas/verify'
import type { AssetVerdict, BlobVerdict } from '../../domain/custody/verdicts.ts'
import type { Verify } from '../../domain/custody/verify.ts'
import { spenderOf } from '../../domain/ground/sessionShare.ts'
import type { Routes } from '../call.ts'

export function verifyRoutes({ verify }: { readonly verify: Verify }): Pick<Routes, 'verifyStorage'> {
  return {
    async verifyStorage({ json, caller, signal }) {
      const questions = json.assets.map(({ asset_id, blob_hashes }) => ({ assetId: asset_id, blobHashes: blob_hashes }))
      const verdicts = await verify({ ...spenderOf(caller), questions, deep: json.deep === true, signal: signal() })
      return { status: 200, body: { verdicts: verdicts.map(verdictOf) } }
    },
  }
}

function verdictOf({ assetId, durable, blobs, checkedAt }: AssetVerdict): StorageVerifyResponse['verdicts'][number] {
  return { asset_id: assetId, durable, blobs: blobs.map(blobOf), checked_at: formatInstant(checkedAt) }
}

/** Without `deep` if the bytes were not read (specification, Storage verification, rule 4). */
function blobOf({ hash, role, stored, indexed, retrievable, deep }: BlobVerdict): BlobVerdictResponse {
  return { hash, role, stored, indexed, retrievable, ...(deep !== undefined && { deep }) }
}
