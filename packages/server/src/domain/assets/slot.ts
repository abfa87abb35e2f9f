import type { AccountId, AlbumId, AssetId, Sha256Hex, UploadId } from '@blindkeep/protocol/ids'
import { parseInstant } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { AssetBlob, AssetUpload, ReadTx } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'

/**
 * Whether a blob has a place in its asset as it is now. Asked when a session is created, again in the transaction in which it lands,
 * and of an adoption alike: what is true then is what counts.
 */
interface Wanted {
  readonly accountId: AccountId
  readonly assetId: AssetId
  readonly albumId: AlbumId
  readonly role: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly envelope: ManifestEnvelope
  /** The session that asks for itself. */
  readonly uploadId?: UploadId
}

export type SlotRefusal = Refuses<'asset_id_taken' | 'manifest_stale' | 'limit_reached'>

const MAX_BLOBS = 32

interface Present {
  readonly blobs: readonly AssetBlob[]
  /** Other sessions on their way to the same asset. */
  readonly coming: readonly AssetUpload[]
}

export async function judgeSlot(tx: ReadTx, wanted: Wanted): Promise<SlotRefusal | undefined> {
  const asset = await tx.assets.find(wanted.assetId)
  if (asset !== undefined && (asset.accountId !== wanted.accountId || asset.deletedAt !== undefined)) return taken
  if (asset !== undefined && asset.albumId !== wanted.albumId) return stale('the asset lies in another album')
  const blobs = await tx.assets.blobsOf(wanted.assetId)
  const unclosed = await tx.uploads.unclosedOfAsset(wanted.assetId)
  const present = { blobs, coming: unclosed.filter(({ uploadId }) => uploadId !== wanted.uploadId) }
  return (
    (wanted.role === 'original' ? judgeOriginal(wanted, present) : judgeCompanion(wanted, present)) ??
    judgeCount(wanted, present)
  )
}

const taken = { refused: 'asset_id_taken' } as const
const stale = (detail: string): Refuses<'manifest_stale'> => ({ refused: 'manifest_stale', detail })

function judgeOriginal(wanted: Wanted, present: Present): SlotRefusal | undefined {
  const original = held(present, 'original')
  if (present.coming.some(({ role }) => role === 'original')) return taken
  if (wanted.envelope.action === 'replace')
    return original === undefined ? stale('there is nothing to replace') : judgeReplace(wanted, present)
  const awaited = [...present.blobs, ...present.coming].some(({ envelope }) => awaitsOther(envelope, wanted))
  if (original !== undefined || awaited) return taken
  const provenance = held(present, 'provenance')
  return provenance && judgeSigned(provenance.envelope, wanted.envelope)
}

const SIGNED_OF_ORIGINAL = ['amk_version', 'key_mode', 'plaintext_size', 'chunk_size'] as const

/** What the signed manifest says of the original is what the asset shows of it, whichever of the two came first. Who signed it, and when, may differ: any device completes an asset. */
function judgeSigned(provenance: ManifestEnvelope, original: ManifestEnvelope): Refuses<'manifest_stale'> | undefined {
  const other = SIGNED_OF_ORIGINAL.find((name) => provenance[name] !== original[name])
  if (other !== undefined) return stale(`${other} of original and provenance differ`)
  return retentionOf(provenance) === retentionOf(original)
    ? undefined
    : stale('retention_until of original and provenance differ')
}

/** Other blobs of a bundle may come first; what they say of the original binds it. */
function awaitsOther(envelope: ManifestEnvelope, { ciphertextHash }: Wanted): boolean {
  return (envelope.original_blob_hash ?? ciphertextHash) !== ciphertextHash
}

/** Nothing that is there could be deleted before its own retention ends, so that dropping all of it may not end that earlier either. */
function judgeReplace({ envelope }: Wanted, present: Present): SlotRefusal | undefined {
  const position = held(present, 'provenance')?.ciphertextHash
  if ((envelope.prior_provenance_hash ?? undefined) !== position)
    return stale('prior_provenance_hash is not the hash of the provenance that is there')
  return present.blobs.some((blob) => retentionOf(envelope) < retentionOf(blob.envelope))
    ? stale('retention_until would end earlier than that of what is there')
    : undefined
}

/** Milliseconds since the epoch; 0 where nothing is retained. */
export function retentionOf({ retention_until: until }: ManifestEnvelope): number {
  if (until === undefined || until === null) return 0
  const at = parseInstant(until)
  if (at === undefined) throw new Error('an envelope was let in whose retention_until is no instant')
  return at
}

/** Whatever is not the original goes with the one that is there. */
function judgeCompanion(wanted: Wanted, present: Present): SlotRefusal | undefined {
  const { role, ciphertextHash, envelope } = wanted
  const isSingle = role !== 'derivative'
  const rivals = [...present.blobs, ...present.coming].filter((other) => other.role === role)
  if (rivals.some((other) => isSingle || other.ciphertextHash === ciphertextHash)) return taken
  const unnamed = judgeMetadata(wanted, present)
  if (unnamed !== undefined) return unnamed
  const original = held(present, 'original')
  if (original !== undefined)
    return (
      judgeBundle(envelope, original) ?? (role === 'provenance' ? judgeSigned(envelope, original.envelope) : undefined)
    )
  if (envelope.action === 'replace') return stale('the original that replaces has to land first')
  const original_blob_hash = envelope.original_blob_hash ?? undefined
  if (role === 'provenance' && original_blob_hash === undefined)
    return stale('original_blob_hash is missing, which a provenance gives that comes before its original')
  const others = [
    ...present.coming.filter((other) => other.role === 'original').map((other) => other.ciphertextHash),
    ...[...present.blobs, ...present.coming].map((other) => other.envelope.original_blob_hash ?? undefined),
  ]
  const isOther = (hash: Sha256Hex | undefined) =>
    hash !== undefined && original_blob_hash !== undefined && hash !== original_blob_hash
  return others.some(isOther) ? taken : undefined
}

/** The metadata that the signed manifest names is the metadata that is there, whichever of the two came first. */
function judgeMetadata({ role, ciphertextHash, envelope }: Wanted, present: Present): SlotRefusal | undefined {
  if (role === 'derivative') return undefined
  const signed = role === 'provenance' ? envelope : held(present, 'provenance')?.envelope
  const metadata = role === 'metadata' ? ciphertextHash : held(present, 'metadata')?.ciphertextHash
  const named = signed?.metadata_blob_hash ?? metadata
  return metadata === undefined || named === metadata
    ? undefined
    : stale('metadata_blob_hash of the provenance is not the metadata that is there')
}

function judgeBundle(envelope: ManifestEnvelope, original: AssetBlob): SlotRefusal | undefined {
  if ((envelope.original_blob_hash ?? original.ciphertextHash) !== original.ciphertextHash)
    return stale('original_blob_hash is not the original that is there')
  const isSameStep =
    envelope.action === original.envelope.action &&
    (envelope.prior_provenance_hash ?? undefined) === (original.envelope.prior_provenance_hash ?? undefined)
  return isSameStep ? undefined : stale('action and prior_provenance_hash are not those of the original that is there')
}

/** An original that replaces drops all that is there: it needs no room, and takes none from those that were let in before it. */
function judgeCount(wanted: Wanted, { blobs, coming }: Present): SlotRefusal | undefined {
  const isFull = blobs.length + coming.filter((other) => !replaces(other)).length >= MAX_BLOBS
  return isFull && !replaces(wanted)
    ? { refused: 'limit_reached', detail: `an asset has at most ${MAX_BLOBS} blobs` }
    : undefined
}

function replaces({ role, envelope }: Pick<Wanted, 'role' | 'envelope'>): boolean {
  return role === 'original' && envelope.action === 'replace'
}

export function held({ blobs }: Pick<Present, 'blobs'>, role: BlobRole): AssetBlob | undefined {
  return blobs.find((blob) => blob.role === role)
}
