/**
 * Whether the asset, as it is now, has a slot for a blob: its role, and what the blobs of one asset must say of each
 * other. Judged when a session is created, and again in the transaction in which it lands; an adoption likewise. The
 * last judgement counts.
 */
import type { AccountId, AlbumId, AssetId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { AssetBlob, AssetUpload, ReadTx, WriteTx } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import { blobOf, isRenewal, isSameStep, presentOf, priorOf } from './renewal.ts'
import { retentionOf } from './retention.ts'

interface Candidate {
  readonly accountId: AccountId
  readonly assetId: AssetId
  readonly albumId: AlbumId
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly envelope: ManifestEnvelope
  /** The candidate's own session, if it has one already. */
  readonly uploadId?: UploadId
}

export type SlotRefusal = Refuses<'asset_id_taken' | 'manifest_stale' | 'limit_reached'>

const MAX_BLOBS = 32
/** Clients read all receipts of an asset, 4 KB each, at once. Only replaces make more of them than it has blobs. */
export const MAX_RECEIPTS = 10_000

interface Occupants {
  /** The blobs that have landed, without metadata that wait. */
  readonly blobs: readonly AssetBlob[]
  /** The unclosed sessions of the same asset, without the candidate's own. */
  readonly incoming: readonly AssetUpload[]
}

const TAKEN = { refused: 'asset_id_taken' } as const
const stale = (detail: string): Refuses<'manifest_stale'> => ({ refused: 'manifest_stale', detail })
const EARLIER = stale('retention_until is earlier than that of the present manifest')

export async function judgeSlot(tx: ReadTx, candidate: Candidate): Promise<SlotRefusal | undefined> {
  const asset = await tx.assets.find(candidate.assetId)
  if (asset !== undefined && (asset.accountId !== candidate.accountId || asset.deletedAt !== undefined)) return TAKEN
  if (asset !== undefined && asset.albumId !== candidate.albumId) return stale('the asset is in another album')
  const isReplace = candidate.envelope.action === 'replace'
  if (isReplace && (await tx.receipts.countOfAsset(candidate.assetId)) >= MAX_RECEIPTS)
    return { refused: 'limit_reached', detail: `an asset has at most ${MAX_RECEIPTS} receipts` }
  const landed = await tx.assets.blobsOf(candidate.assetId)
  const blobs = presentOf(landed)
  if (isRenewal(candidate, blobs)) return judgeRenewal(candidate, landed)
  const unclosed = await tx.uploads.unclosedOfAsset(candidate.assetId)
  const occupants = { blobs, incoming: unclosed.filter(({ uploadId }) => uploadId !== candidate.uploadId) }
  const judgeRole = candidate.role === 'original' ? judgeOriginal : judgeCompanion
  return judgeRole(candidate, occupants) ?? judgeCount(candidate, occupants)
}

/** Takes the asset's id for the account. Two accounts may ask for one id at once, under different locks. */
export async function takeAssetId(
  tx: WriteTx,
  asset: Pick<Candidate, 'accountId' | 'assetId' | 'albumId'>,
): Promise<Refuses<'asset_id_taken'> | undefined> {
  const { accountId, assetId, albumId } = asset
  if (await tx.assets.reserve({ assetId, accountId, albumId })) return undefined
  return (await tx.assets.find(assetId))?.accountId === accountId ? undefined : TAKEN
}

function judgeOriginal(candidate: Candidate, { blobs, incoming }: Occupants): SlotRefusal | undefined {
  const original = blobOf(blobs, 'original')
  if (incoming.some(({ role }) => role === 'original')) return TAKEN
  if (candidate.envelope.action === 'replace')
    return original === undefined ? stale('there is no original to replace') : judgeReplace(candidate, blobs)
  const isOtherNamed = [...blobs, ...incoming].some(({ envelope }) => namesOther(envelope, candidate))
  if (original !== undefined || isOtherNamed) return TAKEN
  const provenance = blobOf(blobs, 'provenance')
  return provenance && judgeSigned(provenance.envelope, candidate.envelope)
}

/** It takes the place of what is there, so it needs no free slot. Another one that arrives is refused when it lands. */
function judgeRenewal(candidate: Candidate, landed: readonly AssetBlob[]): SlotRefusal | undefined {
  const { role, envelope } = candidate
  const [original, provenance] = [blobOf(landed, 'original'), blobOf(landed, 'provenance')]
  const refused = judgePrior(envelope, provenance)
  if (refused !== undefined) return refused
  // What the row of the present manifest retains beyond it, that of the new one will, too.
  if (provenance !== undefined && retentionOf(envelope) < retentionOf(provenance.envelope)) return EARLIER
  if (role === 'metadata' || original === undefined) return undefined
  const named = envelope.metadata_blob_hash
  return landed.some((blob) => blob.role === 'metadata' && blob.ciphertextHash === named)
    ? judgeSignedSizes(envelope, original.envelope)
    : stale('metadata_blob_hash is not the hash of metadata of the asset')
}

const SIGNED_OF_ORIGINAL = ['amk_version', 'key_mode', 'plaintext_size', 'chunk_size'] as const

/**
 * The signed manifest agrees with the original's envelope, whichever of the two landed first. Device and timestamp may
 * differ: any device of the account may complete an asset.
 */
function judgeSigned(provenance: ManifestEnvelope, original: ManifestEnvelope): Refuses<'manifest_stale'> | undefined {
  const isKeptAsLong = retentionOf(provenance) === retentionOf(original)
  return (
    judgeSignedSizes(provenance, original) ??
    (isKeptAsLong ? undefined : stale('retention_until of original and provenance differ'))
  )
}

function judgeSignedSizes(
  provenance: ManifestEnvelope,
  original: ManifestEnvelope,
): Refuses<'manifest_stale'> | undefined {
  const other = SIGNED_OF_ORIGINAL.find((name) => provenance[name] !== original[name])
  return other && stale(`${other} of original and provenance differ`)
}

/** A companion may be uploaded before its original. If it names one, no other original may land. */
function namesOther(envelope: ManifestEnvelope, { ciphertextHash }: Candidate): boolean {
  return (envelope.original_blob_hash ?? ciphertextHash) !== ciphertextHash
}

/** A replace drops blobs of the asset, so it must not shorten its retention. */
function judgeReplace({ envelope }: Candidate, blobs: readonly AssetBlob[]): SlotRefusal | undefined {
  const isEarlier = blobs.some((blob) => retentionOf(envelope) < (blob.retainedUntil ?? 0))
  return judgePrior(envelope, blobOf(blobs, 'provenance')) ?? (isEarlier ? EARLIER : undefined)
}

function judgePrior(envelope: ManifestEnvelope, provenance: AssetBlob | undefined): SlotRefusal | undefined {
  return priorOf(envelope) === provenance?.ciphertextHash
    ? undefined
    : stale('prior_provenance_hash is not the hash of the present provenance')
}

/** Every blob but the original. */
function judgeCompanion(candidate: Candidate, { blobs, incoming }: Occupants): SlotRefusal | undefined {
  const { role, ciphertextHash, envelope } = candidate
  const others = [...blobs, ...incoming]
  const isSingle = role !== 'derivative'
  if (others.some((other) => other.role === role && (isSingle || other.ciphertextHash === ciphertextHash))) return TAKEN
  const unnamed = judgeMetadata(candidate, blobs)
  if (unnamed !== undefined) return unnamed
  const original = blobOf(blobs, 'original')
  return original === undefined
    ? judgeBeforeOriginal(candidate, others)
    : (judgeBundle(envelope, original, blobOf(blobs, 'provenance')) ??
        (role === 'provenance' ? judgeSigned(envelope, original.envelope) : undefined))
}

/** All blobs that name an original name the same one, and an incoming original is that one. */
function judgeBeforeOriginal(
  { role, envelope }: Candidate,
  others: readonly (AssetBlob | AssetUpload)[],
): SlotRefusal | undefined {
  if (envelope.action === 'replace') return stale('the original that replaces must land first')
  const named = envelope.original_blob_hash ?? undefined
  if (role === 'provenance' && named === undefined)
    return stale('original_blob_hash is missing: a provenance that comes before its original must give it')
  const originals = others.map((other) =>
    other.role === 'original' ? other.ciphertextHash : (other.envelope.original_blob_hash ?? undefined),
  )
  return named !== undefined && originals.some((hash) => hash !== undefined && hash !== named) ? TAKEN : undefined
}

/** The signed manifest names the metadata of the asset, whichever of the two landed first. */
function judgeMetadata(
  { role, ciphertextHash, envelope }: Candidate,
  blobs: readonly AssetBlob[],
): SlotRefusal | undefined {
  if (role === 'derivative') return undefined
  const signed = role === 'provenance' ? envelope : blobOf(blobs, 'provenance')?.envelope
  const metadata = role === 'metadata' ? ciphertextHash : blobOf(blobs, 'metadata')?.ciphertextHash
  const named = signed?.metadata_blob_hash ?? metadata
  return metadata === undefined || named === metadata
    ? undefined
    : stale('metadata_blob_hash of the provenance is not the hash of the present metadata')
}

/** After a renewal, a derivative may name the step of the original or that of the manifest. */
function judgeBundle(
  envelope: ManifestEnvelope,
  original: AssetBlob,
  provenance: AssetBlob | undefined,
): SlotRefusal | undefined {
  if ((envelope.original_blob_hash ?? original.ciphertextHash) !== original.ciphertextHash)
    return stale('original_blob_hash is not the hash of the present original')
  const steps = [original, ...(provenance === undefined ? [] : [provenance])]
  return steps.some((step) => isSameStep(envelope, step.envelope))
    ? undefined
    : stale('action or prior_provenance_hash differs from that of the present original')
}

/** A replacing original drops all present blobs: it needs no free slot, and admitted uploads keep theirs. */
function judgeCount(candidate: Candidate, { blobs, incoming }: Occupants): SlotRefusal | undefined {
  const isFull = blobs.length + incoming.filter((other) => !isReplacing(other)).length >= MAX_BLOBS
  return isFull && !isReplacing(candidate)
    ? { refused: 'limit_reached', detail: `an asset has at most ${MAX_BLOBS} blobs` }
    : undefined
}

export function isReplacing({ role, envelope }: Pick<Candidate, 'role' | 'envelope'>): boolean {
  return role === 'original' && envelope.action === 'replace'
}
