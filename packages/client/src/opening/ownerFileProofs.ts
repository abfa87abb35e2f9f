/** The owner's proofs about files of the account: own ones, and drops that were adopted. */
import { AssetError } from '../assets/assetError.ts'
import { type AssetFacts, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { downloadBlob } from '../assets/readBlob.ts'
import { originalContext, vouchForSigned } from '../assets/vouchedAsset.ts'
import { openHashedBlob } from '../seal/hashedBlob.ts'
import { sourceOfStream } from '../seal/source.ts'
import { type AssetReceiptsOptions, assetReceipts, type CheckedAssetReceipt } from '../verify/assetReceipts.ts'
import { AuditError } from '../verify/auditError.ts'
import type { PinnedKeys } from '../verify/pinnedKeys.ts'
import { type CheckedProof, checkedProof } from './checkedProof.ts'
import { openingOfBlob } from './makeOpening.ts'

interface ProveAsset extends Pick<AssetReceiptsOptions, 'pinned' | 'signal'> {
  /** Accepts the signature of a device that was revoked. */
  readonly allowRevokedDevice?: boolean | undefined
  /** Called with the bytes that were sealed again so far, and with how many there are. */
  readonly onProgress?: ((bytes: number, of: number) => void) | undefined
}

export interface AssetProof extends CheckedProof {
  /** The keys to pin from now on. */
  readonly keys: PinnedKeys
}

export interface OwnerFileProofs {
  /**
   * A proof about the original of an asset. Reads the whole file and checks the proof as others do, before it resolves.
   * Of several receipts of these bytes it takes the first: that of the landing. Throws what `openAsset` and
   * `assetReceipts` throw, and `ProofError`.
   */
  proveAsset(asset: string | AssetFacts, options?: ProveAsset): Promise<AssetProof>
}

export async function proveAsset(
  ports: AssetPorts,
  which: string | AssetFacts,
  { pinned, signal, onProgress, ...permissions }: ProveAsset = {},
): Promise<AssetProof> {
  const asset = typeof which === 'string' ? await readAsset(ports.call, which, signal) : which
  const { original, key } = await vouchForSigned(ports, asset, permissions, signal)
  const { receipts, keys } = await assetReceipts(ports, asset.assetId, { pinned, signal })
  const { receipt } = receiptOf(receipts, original.hash)
  const opener = originalContext(asset, key)
  const { header, prefix, content } = await openHashedBlob({
    stream: await downloadBlob(ports, { hash: original.hash, signal }),
    opener,
    hash: ports.environment.createHash(),
    expectedHash: original.hash,
    differenceError: () => new AssetError('hash_differs', 'the server’s bytes for this asset are not the signed ones'),
  })
  const source = sourceOfStream(header.size, content)
  try {
    const proof = await checkedProof({
      receipt,
      pins: keys,
      file: await openingOfBlob({ key, contextId: opener.contextId, prefix }),
      source,
      environment: ports.environment,
      signal,
      onProgress: (bytes) => onProgress?.(bytes, receipt.size),
    })
    return { ...proof, keys }
  } catch (error) {
    await source.cancel().catch(() => undefined)
    throw error
  }
}

function receiptOf(receipts: readonly CheckedAssetReceipt[], hash: string): CheckedAssetReceipt {
  const found = receipts.find(
    ({ signed: { payload } }) => payload.blob_role === 'original' && payload.ciphertext_hash === hash,
  )
  if (found === undefined) throw new AuditError('receipt_missing', 'there is no receipt for the asset’s original')
  return found
}
