/**
 * Judges a manifest, in the same way for an upload and for an adoption (specification, Adopt, rule 1): whether it is
 * consistent in itself, then whether its author may write to the album. `slot.ts` judges whether it fits the asset.
 */
import {
  type AccountId,
  type AlbumId,
  type AssetId,
  addSeconds,
  type Instant,
  type ProtocolVersion,
  parseInstant,
  type Sha256Hex,
} from '@blindkeep/protocol/ids'
import { MAX_PROVENANCE_BYTES } from '@blindkeep/protocol/manifest'
import type { KeyMode, ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { isKnownSuite } from '@blindkeep/protocol/suites'
import { contentTypesOf } from '@blindkeep/protocol/window'
import type { ReadTx } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import { ownsAlbum } from './albums.ts'
import { judgeRetention, type RetentionSettings, statedRetention } from './retention.ts'

export interface Declared {
  readonly assetId: AssetId
  readonly albumId: AlbumId
  readonly role: BlobRole
  readonly size: number
  readonly ciphertextHash: Sha256Hex
  readonly contentType: string
  readonly suiteId: number
  readonly protocolVersion: ProtocolVersion
  readonly keyMode: KeyMode
  readonly envelope: ManifestEnvelope
}

export type ManifestRefusal = Refuses<
  | 'content_type_unsupported'
  | 'suite_unknown'
  | 'manifest_invalid'
  | 'manifest_mismatch'
  | 'timestamp_out_of_range'
  | 'retention_too_long'
>

/** What a client reads when its device was revoked during an upload. */
export const DEVICE_GONE = 'the device that the manifest names is revoked or belongs to another account'

const DAY_SECONDS = 86_400

export interface ManifestSettings extends RetentionSettings {
  readonly manifestDriftDays: number
}

/**
 * Whether declaration and envelope are valid and agree with each other. `signed`: the retention of the manifest that
 * the new one may continue, which may be beyond a bound that was lowered since.
 */
export function judgeManifest(
  declared: Declared,
  now: Instant,
  { manifestDriftDays, ...retention }: ManifestSettings,
  signed?: Instant,
): ManifestRefusal | undefined {
  if (!isKnownSuite(declared.suiteId)) return { refused: 'suite_unknown' }
  if (!contentTypesOf(declared.protocolVersion).includes(declared.contentType))
    return { refused: 'content_type_unsupported' }
  const other = findDisagreement(declared)
  if (other !== undefined)
    return { refused: 'manifest_mismatch', detail: `/manifest_envelope/${other} differs from the declared value` }
  const fault = findContradiction(declared)
  if (fault !== undefined) return { refused: 'manifest_invalid', detail: fault }
  const at = parseInstant(declared.envelope.timestamp)
  if (at === undefined) throw new Error('the timestamp of a parsed envelope is no instant')
  const driftSeconds = manifestDriftDays * DAY_SECONDS
  if (at < addSeconds(now, -driftSeconds) || addSeconds(now, driftSeconds) < at)
    return { refused: 'timestamp_out_of_range' }
  const until = statedRetention(declared.envelope)
  if (until === undefined || until === signed) return undefined
  return judgeRetention(until, { now, member: '/manifest_envelope/retention_until' }, retention)
}

/** The first member in which declaration and envelope differ (specification, ManifestEnvelope: "must equal"). */
function findDisagreement({ envelope, ...declared }: Declared): keyof ManifestEnvelope | undefined {
  const pairs: readonly (readonly [keyof ManifestEnvelope, unknown])[] = [
    ['crypto_suite_id', declared.suiteId],
    ['protocol_version', declared.protocolVersion],
    ['album_id', declared.albumId],
    ['file_id', declared.assetId],
    ['ciphertext_hash', declared.ciphertextHash],
    ['key_mode', declared.keyMode],
    ...(declared.role === 'original' ? ([['original_blob_hash', declared.ciphertextHash]] as const) : []),
    ...(declared.role === 'metadata' ? ([['metadata_blob_hash', declared.ciphertextHash]] as const) : []),
  ]
  return pairs.find(([name, value]) => (envelope[name] ?? value) !== value)?.[0]
}

function findContradiction({ envelope, role, size }: Declared): string | undefined {
  const { action, prior_provenance_hash: prior, original_blob_hash: original } = envelope
  if (role === 'original' && envelope.plaintext_size > size)
    return '/manifest_envelope/plaintext_size is larger than the sealed size'
  if (role === 'provenance' && size > MAX_PROVENANCE_BYTES)
    return `/size of a provenance blob is at most ${MAX_PROVENANCE_BYTES}`
  if (action === 'create' && isGiven(prior))
    return '/manifest_envelope/prior_provenance_hash must be absent in a create'
  if (action === 'replace' && !isGiven(original))
    return '/manifest_envelope/original_blob_hash is missing: a replace must give it'
  return undefined
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** 403: the author must be the calling account with one of its live devices, and the album must belong to it. */
export async function judgeAuthor(
  tx: ReadTx,
  accountId: AccountId,
  { albumId, envelope }: Pick<Declared, 'albumId' | 'envelope'>,
): Promise<Refuses<'device_not_authorized' | 'album_not_available'> | undefined> {
  const refused = await judgeDevice(tx, accountId, envelope)
  if (refused !== undefined) return refused
  if (envelope.created_by_user !== accountId) return { refused: 'device_not_authorized' }
  return (await ownsAlbum(tx, accountId, albumId)) ? undefined : { refused: 'album_not_available' }
}

/**
 * The device that a manifest names must be live. Judged when a session is created, and again in the transaction in
 * which the blob lands: a device that is revoked in between may write nothing more. The last judgement counts.
 */
export async function judgeDevice(
  tx: ReadTx,
  accountId: AccountId,
  { created_by_device: deviceId }: Pick<ManifestEnvelope, 'created_by_device'>,
): Promise<Refuses<'device_not_authorized'> | undefined> {
  const device = await tx.devices.find(deviceId)
  const isLive = device?.accountId === accountId && device.revokedAt === undefined
  return isLive ? undefined : { refused: 'device_not_authorized' }
}
