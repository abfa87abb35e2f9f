/**
 * What the pages show of an asset: its facts, and the description that was read with exactly these facts. Everything
 * that is opened, saved or shared afterwards acts on these facts, so that it is the file that was shown.
 */
import { AssetUnsigned, ProblemError } from '@blindkeep/client/errors'
import type { AssetDescription, AssetFacts, AssetPermissions, Owner } from '@blindkeep/client/owner'
import type { BundleRole } from '@blindkeep/client/verify'
import type { Sha256Hex } from '@blindkeep/protocol/ids'

/** What this client found about the signature. The server cannot improve it. */
export type Trust =
  | { readonly kind: 'signed' }
  /** `revokedAt`: RFC 3339. */
  | { readonly kind: 'revoked'; readonly revokedAt: string }
  | { readonly kind: 'unsigned' }

export interface ShownAsset {
  readonly asset: AssetFacts
  readonly trust: Trust
  /** Undefined for an unsigned asset: what its name would be, a malicious server could choose. */
  readonly description: AssetDescription | undefined
}

/** Throws what `describeAsset` throws, except `AssetUnsigned`. */
export async function showAsset(
  owner: Pick<Owner, 'describeAsset'>,
  asset: AssetFacts,
  signal?: AbortSignal,
): Promise<ShownAsset> {
  try {
    // A revoked device is allowed here because every page that shows the name also shows the badge.
    const description = await owner.describeAsset(asset, { allowRevokedDevice: true, signal })
    const { signed } = description
    if (signed === undefined) return { asset, trust: { kind: 'unsigned' }, description: undefined }
    const revokedAt = signed.deviceRevokedAt
    return { asset, trust: revokedAt === undefined ? { kind: 'signed' } : { kind: 'revoked', revokedAt }, description }
  } catch (error) {
    if (error instanceof AssetUnsigned && error.revoked === undefined)
      return { asset, trust: { kind: 'unsigned' }, description: undefined }
    throw error
  }
}

/** Differs whenever a fact differs. */
export function factsKey(asset: AssetFacts): string {
  return JSON.stringify(asset)
}

/** Differs with each fact about the file: verification of other facts says nothing. Thumbnails do not count. */
export function fileKey({ changedAt: _, blobs, ...facts }: AssetFacts): string {
  return JSON.stringify({ ...facts, blobs: blobs.filter(({ role }) => role !== 'derivative') })
}

/** Whether the server no longer has what was shown: the file was replaced or deleted. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof ProblemError && (error.code === 'error.blob.not_found' || error.code === 'error.asset.not_found')
  )
}

declare const consented: unique symbol

/** A shown asset that may be opened: a live device has signed it, or the owner was asked. */
export interface ConsentedAsset extends ShownAsset {
  readonly permissions: AssetPermissions
  readonly [consented]: true
}

/** The assets that the owner must be asked about before anything happens with them. */
export function doubtfulOf(assets: readonly ShownAsset[]): readonly ShownAsset[] {
  return assets.filter(({ trust }) => trust.kind !== 'signed')
}

/** Without doubt, or after the question (`useConsent`). Each gets permission for its own doubt only. */
export function consentTo(assets: readonly ShownAsset[]): readonly ConsentedAsset[] {
  return assets.map((shown) => ({ ...shown, permissions: permissionsOf(shown.trust) }) as ConsentedAsset)
}

function permissionsOf({ kind }: Trust): AssetPermissions {
  if (kind === 'unsigned') return { allowUnsigned: true }
  return kind === 'revoked' ? { allowRevokedDevice: true } : {}
}

/** The hashes that the facts name, by role, without those of thumbnails. */
export function hashesOf({ blobs }: Pick<AssetFacts, 'blobs'>): Readonly<Partial<Record<BundleRole, Sha256Hex>>> {
  return Object.fromEntries(blobs.filter(({ role }) => role !== 'derivative').map(({ role, hash }) => [role, hash]))
}
