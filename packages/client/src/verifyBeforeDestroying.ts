/**
 * The question on which people delete their only other copy. The yes is put together from what this client knows by itself: the file at hand is sealed
 * again, behind the beginning of the stored blob and under the asset's own key, and has to come to the hash that a device of the account has signed;
 * receipts and verdict have to be about exactly that. Whatever fails on the way is a no.
 */
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { AssetError, AssetIncomplete } from './assetError.ts'
import { type AssetBlob, type AssetFacts, blobOf, readAsset } from './assetFacts.ts'
import type { AssetPorts } from './assetPorts.ts'
import { type CheckedAssetReceipts, checkReceiptsOf } from './assetReceipts.ts'
import { type Doubt, doubt, doubtOf } from './doubt.ts'
import { hashFile, type PreparingProgress } from './hashFile.ts'
import { assetKeyOf, originalContext, readMetadata, type Signed, signedOf } from './openAsset.ts'
import { openPrefix, readPrefix } from './openHeader.ts'
import type { PinnedKeys } from './pins.ts'
import { type Provenance, readProvenance } from './provenance.ts'
import { continueSealer, type Sealer } from './seal.ts'
import { BUNDLE_ROLES, type BundleRole, type SentUploads } from './sendBundle.ts'
import type { Source } from './source.ts'
import { type Depth, verdictDoubts } from './verdictDoubts.ts'
import { verifyStorage } from './verifyStorage.ts'
import { readBlobStart } from './wholeBlob.ts'

export type { Doubt, DoubtReason } from './doubt.ts'
export type { Depth } from './verdictDoubts.ts'

export interface BeforeDestroying {
  readonly assetId: string
  /** The file that is about to be destroyed. It is read from end to end. */
  readonly source: Source
  /** `deep` when left out. */
  readonly depth?: Depth | undefined
  /** Attestation keys seen before on this server. */
  readonly pinned?: PinnedKeys | undefined
  /** The sessions that this client has sent, where it knows them. */
  readonly uploads?: SentUploads | undefined
  readonly onProgress?: ((progress: PreparingProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface SafeToDestroy {
  readonly safe: true
  /** Whether every byte was read and hashed again. */
  readonly examined: 'deep' | 'structural'
  /** RFC 3339, by the server's clock. */
  readonly checkedAt: string
  /** What is durable, as this client knows it; lowercase hex. */
  readonly hashes: Readonly<Record<BundleRole, Sha256Hex>>
  readonly signed: Signed
  /** Keep them: with these the server cannot deny that it had the file. */
  readonly receipts: CheckedAssetReceipts
}

export interface NotSafeToDestroy {
  readonly safe: false
  /** At least one. */
  readonly doubts: readonly Doubt[]
}

export type DestroyAnswer = SafeToDestroy | NotSafeToDestroy

/**
 * Whether this very file may be destroyed, because the server holds it, with all that it takes to open it. Says yes only when original, metadata and
 * provenance are durable by the hashes that this client has found for itself, and everything else about the asset agrees. Any failure is a no with
 * its reason, `unreachable` too, as for a deep scan that takes longer than 290 s: ask again, or with another depth.
 * Rejects with the signal's reason when that aborts, and with whatever the source itself fails with: neither is a yes.
 */
export async function verifyBeforeDestroying(ports: AssetPorts, question: BeforeDestroying): Promise<DestroyAnswer> {
  try {
    return await answer(ports, question)
  } catch (error) {
    const found = question.signal?.aborted === true ? undefined : doubtOf(error)
    if (found === undefined) throw error
    return { safe: false, doubts: [found] }
  }
}

async function answer(ports: AssetPorts, question: BeforeDestroying): Promise<DestroyAnswer> {
  const { assetId, depth = 'deep', signal } = question
  const asset = await readAsset(ports.call, assetId, signal)
  requireComplete(asset)
  const provenance = await requireProvenance(ports, asset, signal)
  const found = await findBundle(ports, { asset, provenance, question })
  if ('doubts' in found) return found
  const receipts = await checkReceiptsOf(ports, { ...asset, blobs: expectedBlobs(asset, found) }, question)
  // Asked last, so that the verdict is not older than everything else.
  const hashes = BUNDLE_ROLES.map((role) => found[role].hash)
  const toVerify = [{ assetId: asset.assetId, hashes }]
  const [verdict] = await verifyStorage(ports.call, toVerify, { deep: depth !== 'structural', signal })
  const doubts = verdictDoubts(verdict, depth)
  if (verdict === undefined || doubts.length > 0) return { safe: false, doubts }
  return {
    safe: true,
    examined: verdict.blobs.every(({ deep }) => deep === 'intact') ? 'deep' : 'structural',
    checkedAt: verdict.checkedAt,
    hashes: { original: found.original.hash, metadata: found.metadata.hash, provenance: found.provenance.hash },
    signed: signedOf(provenance),
    receipts,
  }
}

function requireComplete(asset: AssetFacts): void {
  const missing = BUNDLE_ROLES.filter((role) => blobOf(asset, role) === undefined)
  if (missing.length > 0) throw new AssetIncomplete(missing, 'Finish its upload first.')
}

async function requireProvenance(
  ports: AssetPorts,
  asset: AssetFacts,
  signal: AbortSignal | undefined,
): Promise<Provenance> {
  const provenance = await readProvenance(ports, asset, signal)
  if (provenance === undefined) throw new AssetIncomplete(['provenance'], 'Finish its upload first.')
  return provenance
}

/** What this client knows to be right, by hashes and sizes that it has found for itself. */
type Bundle = Readonly<Record<BundleRole, Pick<AssetBlob, 'hash' | 'size'>>>

interface BundleQuestion {
  readonly asset: AssetFacts
  readonly provenance: Provenance
  readonly question: BeforeDestroying
}

async function findBundle(
  ports: AssetPorts,
  { asset, provenance, question }: BundleQuestion,
): Promise<Bundle | NotSafeToDestroy> {
  const { source, signal, onProgress } = question
  const key = await assetKeyOf(ports, asset, provenance)
  const metadata = await readMetadata(ports, { asset, key, provenance, signal })
  if (metadata === undefined)
    throw new AssetError('metadata_differs', 'the asset’s metadata was never signed, so what is there may be anybody’s')
  const sealer = await sealerOfStored(ports, { asset, provenance, key, signal })
  if (source.size !== sealer.header.size)
    return no(`The file at hand has ${source.size} bytes, and the stored one ${sealer.header.size}: it is another.`)
  const sealed = await hashFile({ sealer, source, environment: ports.environment, onProgress, signal })
  const { ciphertext_hash: signedHash } = provenance.manifest.envelope
  if (sealed.ciphertextHash !== signedHash) return no('The file at hand is not the one that is stored.')
  return {
    original: { hash: signedHash, size: sealed.size },
    metadata,
    provenance: { hash: provenance.manifest.hash, size: provenance.size },
  }
}

function no(what: string): NotSafeToDestroy {
  return { safe: false, doubts: [doubt('file_differs', what)] }
}

interface StoredQuestion {
  readonly asset: AssetFacts
  readonly provenance: Provenance
  readonly key: Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal | undefined
}

/**
 * Seals the file at hand as the stored one was sealed. The beginning of the stored blob is the server's word, but only this account could have sealed
 * it, and a beginning of another blob leads to another hash than the signed one.
 */
async function sealerOfStored(ports: AssetPorts, { asset, provenance, key, signal }: StoredQuestion): Promise<Sealer> {
  const { ciphertext_hash: hash, plaintext_size: plaintextSize } = provenance.manifest.envelope
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash, count, signal }))
  const opened = await openPrefix(prefix, originalContext(asset, key))
  if (plaintextSize < opened.header.size)
    throw new AssetError('asset_differs', 'the stored file is longer than was signed')
  const sealer = continueSealer({ ...opened, prefix, plaintextSize })
  if (sealer.sealedSize !== blobOf(asset, 'original')?.size)
    throw new AssetError('asset_differs', 'the original is told to have another size than was signed')
  return sealer
}

/** Derivatives are not relied on; their receipts are the server's to agree with itself about. */
function expectedBlobs({ blobs }: AssetFacts, bundle: Bundle): readonly AssetBlob[] {
  const own = BUNDLE_ROLES.map((role) => ({ role, ...bundle[role] }))
  return [...own, ...blobs.filter(({ role }) => role === 'derivative')]
}
