/**
 * A replace of metadata alone: new metadata, then a manifest that names them; the original stays. The metadata wait, in
 * no view of the asset, until that manifest lands. So readers see the former name or the new one, each with its
 * signature (decisions/renaming.md).
 */
import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'
import type { ManifestEnvelope } from '@blindkeep/protocol/schemas/manifest'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { AssetBlob } from '../../ports/store.ts'

interface Enveloped {
  readonly role: BlobRole
  readonly envelope: ManifestEnvelope
}

export function blobOf(blobs: readonly AssetBlob[], role: BlobRole): AssetBlob | undefined {
  return blobs.find((blob) => blob.role === role)
}

/** Without metadata that wait. */
export function presentOf(blobs: readonly AssetBlob[]): readonly AssetBlob[] {
  return blobs.filter(({ pendingAfter }) => pendingAfter === undefined)
}

/** A companion of the present original, in another step than it, beside a manifest. `blobs` are the present ones. */
export function isRenewal({ role, envelope }: Enveloped, blobs: readonly AssetBlob[]): boolean {
  const original = blobOf(blobs, 'original')
  return (
    (role === 'metadata' || role === 'provenance') &&
    envelope.action === 'replace' &&
    original !== undefined &&
    envelope.original_blob_hash === original.ciphertextHash &&
    !isSameStep(envelope, original.envelope) &&
    blobOf(blobs, 'provenance') !== undefined
  )
}

export function isSameStep(one: ManifestEnvelope, other: ManifestEnvelope): boolean {
  return one.action === other.action && priorOf(one) === priorOf(other)
}

export function priorOf({ prior_provenance_hash: prior }: ManifestEnvelope): Sha256Hex | undefined {
  return prior ?? undefined
}

/** The original's envelope; once a manifest was renewed, the signed one. Undefined without an original. */
export function presentEnvelope(blobs: readonly AssetBlob[]): ManifestEnvelope | undefined {
  const original = blobOf(blobs, 'original')
  const signed = blobOf(blobs, 'provenance')?.envelope
  if (original === undefined || signed === undefined || isSameStep(signed, original.envelope)) return original?.envelope
  return { ...signed, ciphertext_hash: original.ciphertextHash }
}

interface Renewal {
  /** What leaves the asset. */
  readonly left: readonly AssetBlob[]
  /** Metadata that waited, and are now those of the asset. */
  readonly shown: AssetBlob | undefined
  /** Of the new blob. */
  readonly pendingAfter: Sha256Hex | undefined
  /** What the former manifest retained, which the new one does not shorten. */
  readonly retainedUntil: Instant | undefined
}

const NO_RENEWAL: Renewal = { left: [], shown: undefined, pendingAfter: undefined, retainedUntil: undefined }

/** What a landing changes beside its own blob: nothing, unless it is part of a renewal. */
export function renewalOf(blob: Enveloped, landed: readonly AssetBlob[]): Renewal {
  if (!isRenewal(blob, presentOf(landed))) return NO_RENEWAL
  const waiting = landed.filter(({ pendingAfter }) => pendingAfter !== undefined)
  if (blob.role === 'metadata') return { ...NO_RENEWAL, left: waiting, pendingAfter: priorOf(blob.envelope) }
  const isNamed = ({ ciphertextHash }: AssetBlob) => ciphertextHash === blob.envelope.metadata_blob_hash
  const left = landed.filter((other) => other.role === 'provenance' || (other.role === 'metadata' && !isNamed(other)))
  const { retainedUntil } = blobOf(landed, 'provenance') ?? NO_RENEWAL
  return { left, shown: waiting.find(isNamed), pendingAfter: undefined, retainedUntil }
}
