/** Until when an asset may not be deleted: what its manifest states, or what its owner has raised that to since. */
import { addSeconds, type Instant, parseInstant } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { AssetBlob } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'

const DAY_SECONDS = 86_400

interface Enveloped {
  readonly role: BlobRole
  readonly envelope: ManifestEnvelope
}

/** Milliseconds since the epoch; 0 without retention. */
export function retentionOf(envelope: ManifestEnvelope): number {
  return statedRetention(envelope) ?? 0
}

/** Only the provenance's signed manifest binds; it agrees with its original's (`slot.ts`). Others are unsigned. */
export function signedRetention({ role, envelope }: Enveloped): Instant | undefined {
  return role === 'provenance' ? statedRetention(envelope) : undefined
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
  const until = isKeptUp ? statedRetention(blob.envelope) : signedRetention(blob)
  return former !== undefined && former > (until ?? 0) ? former : until
}

/** Of an asset with these blobs: the latest of all. Undefined without retention, and possibly over. */
export function retentionEnd(blobs: readonly Pick<AssetBlob, 'retainedUntil'>[]): Instant | undefined {
  const ends = blobs.map(({ retainedUntil }) => retainedUntil).filter((until) => until !== undefined)
  return ends.reduce<Instant | undefined>((latest, until) => (until > (latest ?? 0) ? until : latest), undefined)
}

export interface RetentionSettings {
  readonly retentionDaysMax: number
}

/** No client may make files undeletable beyond the operator's limit, by the server's clock. 0 days: not at all. */
export function judgeRetention(
  until: Instant,
  { now, member }: { readonly now: Instant; readonly member: string },
  { retentionDaysMax: days }: RetentionSettings,
): Refuses<'retention_too_long'> | undefined {
  if (days > 0 && until <= addSeconds(now, days * DAY_SECONDS)) return undefined
  const detail = days === 0 ? 'must be absent on this server' : `must be at most ${days} days from now`
  return { refused: 'retention_too_long', detail: `${member} ${detail}` }
}

export function statedRetention({ retention_until: until }: ManifestEnvelope): Instant | undefined {
  if (until === undefined || until === null) return undefined
  const at = parseInstant(until)
  if (at === undefined) throw new Error('the retention_until of an admitted envelope is no instant')
  return at
}
