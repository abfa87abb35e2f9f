/**
 * Whether a local file may be destroyed because the server holds it. People delete their only other copy on this
 * answer. A yes rests on what this client computes itself: it seals the local file again, behind the prefix of the
 * stored blob and under the asset's own key, and the result must have the hash that a device of the account has signed;
 * receipts and verdict must be about exactly that hash. A failure is never a yes.
 */
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { type AssetFacts, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { BundleRole, SentUploads } from '../assets/bundleRoles.ts'
import { hashesOf, readSignedAsset, type SignedAsset, signedFacts, toVerify } from '../assets/signedAsset.ts'
import { type Signed, signedOf } from '../assets/vouchedAsset.ts'
import type { Source } from '../seal/source.ts'
import { hashFile, type PreparingProgress } from '../send/hashFile.ts'
import { type CheckedAssetReceipts, checkReceiptsOf } from './assetReceipts.ts'
import { type Doubt, doubt, doubtOf } from './doubt.ts'
import type { PinnedKeys } from './pinnedKeys.ts'
import { askUnchanged } from './unchangedAsset.ts'
import { type Depth, examinationOf, verdictDoubts } from './verdictDoubts.ts'
import { verifyStorage } from './verifyStorage.ts'

export type { Doubt, DoubtReason } from './doubt.ts'
export type { Depth } from './verdictDoubts.ts'

export interface BeforeDestroying {
  readonly assetId: string
  /** The file to be destroyed. It is read as a whole. */
  readonly source: Source
  /** `deep` by default. */
  readonly depth?: Depth | undefined
  /** Attestation keys that were pinned before for this server. */
  readonly pinned?: PinnedKeys | undefined
  /** The sessions of this client's uploads, where known. */
  readonly uploads?: SentUploads | undefined
  /** Accepts the signature of a device that was revoked since. Otherwise the answer is no (`device_revoked`). */
  readonly allowRevokedDevice?: boolean | undefined
  readonly onProgress?: ((progress: PreparingProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

interface SafeToDestroy {
  readonly safe: true
  /** Whether the server read and hashed every byte again. */
  readonly examined: 'deep' | 'structural'
  /** RFC 3339, by the server's clock. */
  readonly checkedAt: string
  /** What is durable, as computed by this client; lowercase hex. */
  readonly hashes: Readonly<Record<BundleRole, Sha256Hex>>
  readonly signed: Signed
  /** Store them: with these the server cannot deny that it had the file. */
  readonly receipts: CheckedAssetReceipts
}

interface NotSafeToDestroy {
  readonly safe: false
  /** At least one. */
  readonly doubts: readonly Doubt[]
}

export type DestroyAnswer = SafeToDestroy | NotSafeToDestroy

/**
 * Whether this very file may be destroyed because the server holds it, with everything that is needed to open it. Says
 * yes only when original, metadata and provenance are durable under the hashes that this client has computed, and all
 * other data about the asset agree. A failure of the server is a no with its reason; so is a deep scan of more than 290
 * s (`unreachable`): ask again, or with another depth. Throws the signal's reason when it aborts, the source's own
 * error, and a fault of this program: none of these is a yes.
 */
export async function verifyBeforeDestroying(ports: AssetPorts, question: BeforeDestroying): Promise<DestroyAnswer> {
  try {
    const { assetId, signal } = question
    return await askUnchanged(ports.call, {
      asset: await readAsset(ports.call, assetId, signal),
      signal,
      ask: (asset) => answer(ports, asset, question),
      isYes: ({ safe }) => safe,
    })
  } catch (error) {
    const found = question.signal?.aborted === true ? undefined : doubtOf(error)
    if (found === undefined) throw error
    return { safe: false, doubts: [found] }
  }
}

async function answer(ports: AssetPorts, asset: AssetFacts, question: BeforeDestroying): Promise<DestroyAnswer> {
  const { depth = 'deep', allowRevokedDevice, signal } = question
  const signedAsset = await readSignedAsset(ports, asset, { allowRevokedDevice, signal })
  const difference = await differenceOf(ports, signedAsset, question)
  if (difference !== undefined) return { safe: false, doubts: [doubt('file_differs', difference)] }
  const receipts = await checkReceiptsOf(ports, signedFacts(signedAsset), question)
  // Last, so that the verdict is not older than everything else.
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

/** How the local file differs from the stored one; undefined when they are the same. */
async function differenceOf(
  { environment, prefixes }: AssetPorts,
  { sealer, provenance }: SignedAsset,
  { source, signal, onProgress }: BeforeDestroying,
): Promise<string | undefined> {
  if (source.size !== sealer.header.size)
    return `The local file has ${source.size} bytes and the stored one ${sealer.header.size}: they are different files.`
  const sealed = await hashFile({ sealer, source, environment, onProgress, signal })
  const isSame = sealed.ciphertextHash === provenance.manifest.envelope.ciphertext_hash
  if (isSame) await prefixes.note(sealed.ciphertextHash, sealer.prefix)
  return isSame ? undefined : 'The local file is not the stored one.'
}
