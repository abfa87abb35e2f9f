/** Until when an asset may not be deleted. */
import { type Instant, parseInstant } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { AssetBlob } from '../../ports/store.ts'

interface Enveloped {
  readonly role: BlobRole
  readonly envelope: ManifestEnvelope
}

/** Milliseconds since the epoch; 0 without retention. */
export function retentionOf(envelope: ManifestEnvelope): number {
  return statedIn(envelope) ?? 0
}

/** Only the provenance's signed manifest binds; it agrees with its original's (`slot.ts`). Others are unsigned. */
export function signedRetention({ role, envelope }: Enveloped): Instant | undefined {
  return role === 'provenance' ? statedIn(envelope) : undefined
}

/**
 * A blob's part in its asset's retention. An original keeps that of the replaced until its provenance lands; a manifest
 * that renews another does not shorten what that one retained.
 */
export function retainedUntilOf(
  blob: Enveloped,
  replaced: readonly AssetBlob[],
  former: Instant | undefined,
): Instant | undefined {
  const isKeptUp = replaced.some(({ retainedUntil }) => retainedUntil !== undefined)
  const until = isKeptUp ? statedIn(blob.envelope) : signedRetention(blob)
  return former !== undefined && former > (until ?? 0) ? former : until
}

export function isRetained(blobs: readonly AssetBlob[], at: Instant): boolean {
  return blobs.some(({ retainedUntil = at }) => retainedUntil > at)
}

function statedIn({ retention_until: until }: ManifestEnvelope): Instant | undefined {
  if (until === undefined || until === null) return undefined
  const at = parseInstant(until)
  if (at === undefined) throw new Error('the retention_until of an admitted envelope is no instant')
  return at
}
