/**
 * The question on which people delete their only other copy. The yes is put together from what this client knows by itself: the file at hand is sealed
 * again, behind the beginning of the stored blob and under the asset's own key, and has to come to the hash that a device of the account has signed;
 * receipts and verdict have to be about exactly that. Whatever fails on the way is a no.
 */
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { BundleRole, SentUploads } from '../assets/bundleRoles.ts'
import { type Signed, signedOf } from '../assets/openAsset.ts'
import { hashesOf, readSignedAsset, type SignedAsset, signedFacts, toVerify } from '../assets/signedAsset.ts'
import type { Source } from '../seal/source.ts'
import { hashFile, type PreparingProgress } from '../send/hashFile.ts'
import { type CheckedAssetReceipts, checkReceiptsOf } from './assetReceipts.ts'
import { type Doubt, doubt, doubtOf } from './doubt.ts'
import type { PinnedKeys } from './pins.ts'
import { type Depth, examinationOf, verdictDoubts } from './verdictDoubts.ts'
import { verifyStorage } from './verifyStorage.ts'

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
  const signedAsset = await readSignedAsset(ports, asset, signal)
  const differing = await differenceOf(ports, signedAsset, question)
  if (differing !== undefined) return { safe: false, doubts: [doubt('file_differs', differing)] }
  const receipts = await checkReceiptsOf(ports, signedFacts(signedAsset), question)
  // Asked last, so that the verdict is not older than everything else.
  const [verdict] = await verifyStorage(ports.call, [toVerify(signedAsset)], { deep: depth !== 'structural', signal })
  const doubts = verdictDoubts(verdict, depth)
  if (verdict === undefined || doubts.length > 0) return { safe: false, doubts }
  return {
    safe: true,
    examined: examinationOf(verdict),
    checkedAt: verdict.checkedAt,
    hashes: hashesOf(signedAsset.bundle),
    signed: signedOf(signedAsset.provenance),
    receipts,
  }
}

/** In what the file at hand is another than the stored one; undefined when it is the very same. */
async function differenceOf(
  { environment }: AssetPorts,
  { sealer, provenance }: SignedAsset,
  { source, signal, onProgress }: BeforeDestroying,
): Promise<string | undefined> {
  if (source.size !== sealer.header.size)
    return `The file at hand has ${source.size} bytes, and the stored one ${sealer.header.size}: it is another.`
  const sealed = await hashFile({ sealer, source, environment, onProgress, signal })
  const isSame = sealed.ciphertextHash === provenance.manifest.envelope.ciphertext_hash
  return isSame ? undefined : 'The file at hand is not the one that is stored.'
}
