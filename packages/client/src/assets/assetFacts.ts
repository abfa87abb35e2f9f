import type { AlbumId, AssetId, DropId, OpaqueId, Sha256Hex } from '@blindkeep/protocol/ids'
import type { AssetResponse } from '@blindkeep/protocol/schemas/assets'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Call } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'
import { AssetError } from './assetError.ts'
import { BUNDLE_ROLES } from './bundleRoles.ts'

export interface AssetBlob {
  readonly role: BlobRole
  /** SHA-256 of the ciphertext, lowercase hex. */
  readonly hash: Sha256Hex
  /** Ciphertext bytes. */
  readonly size: number
}

/** The drop that an adopted asset came from. */
interface AssetDrop {
  readonly dropId: DropId
  readonly opaqueId: OpaqueId
  /** base64. */
  readonly kemCt: string
  readonly receivedAt: string
}

/** The server's description of an asset, unverified: compare it with the signed manifest. */
export interface AssetFacts {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  /** Whether the list has an original, metadata and provenance: this client's judgement, not the server's. */
  readonly complete: boolean
  /** The server's copy of the manifest's envelope, from the original's session. */
  readonly envelope: ManifestEnvelope
  /** At most one of each role, and any number of derivatives. */
  readonly blobs: readonly AssetBlob[]
  readonly drop: AssetDrop | undefined
  readonly createdAt: string
  readonly changedAt: string
  /** Until then the server does not delete it (RFC 3339), nor the account. Undefined if it never was retained. */
  readonly retainedUntil: string | undefined
}

/** Throws what a call throws (`error.asset.not_found`), and `AnswerError` for another asset's description. */
export async function readAsset(call: Call, assetId: string, signal?: AbortSignal): Promise<AssetFacts> {
  const { body } = await call('asset', { path: { asset_id: assetId }, signal })
  if (body.asset_id !== assetId) throw new AnswerError('asset', 'it is about another asset')
  return factsOf(body)
}

/** Like `readAsset`; undefined when it does not exist. */
export async function findAsset(call: Call, assetId: string, signal?: AbortSignal): Promise<AssetFacts | undefined> {
  try {
    return await readAsset(call, assetId, signal)
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.asset.not_found') return undefined
    throw error
  }
}

export function factsOf({ drop, ...body }: AssetResponse): AssetFacts {
  return {
    assetId: body.asset_id,
    albumId: body.album_id,
    complete: BUNDLE_ROLES.every((role) => body.blobs.some((blob) => blob.role === role)),
    envelope: body.envelope,
    blobs: body.blobs,
    drop: drop
      ? { dropId: drop.drop_id, opaqueId: drop.opaque_id, kemCt: drop.kem_ct, receivedAt: drop.received_at }
      : undefined,
    createdAt: body.created_at,
    changedAt: body.changed_at,
    retainedUntil: body.retained_until ?? undefined,
  }
}

/** The blob of a role. Throws `AssetError` when the server lists several. */
export function blobOf({ blobs }: AssetFacts, role: Exclude<BlobRole, 'derivative'>): AssetBlob | undefined {
  const [blob, ...others] = blobs.filter((one) => one.role === role)
  if (others.length > 0) throw new AssetError('asset_differs', `the server lists several blobs of role ${role}`)
  return blob
}
