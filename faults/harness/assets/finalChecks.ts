/** After the last kill: compares every asset with the ledger in every way. Acknowledged blobs must be durable. */
import type { Owner } from '../ledger.ts'
import { acknowledgedBlobsOf, describeAsset } from './assetLedger.ts'
import { compareAsset, compareBlob, fetchAssetReceipts } from './compare.ts'
import { type OwnerAssetsPorts, settleAll } from './ownerAssetsLoad.ts'
import { askedOf, verify } from './verify.ts'

const MAX_VERIFIED_AT_ONCE = 100

/** Returns how many bytes the owner’s assets hold. */
export async function finishAndCheckAssets(ports: OwnerAssetsPorts, owner: Owner): Promise<number> {
  await settleAll(ports, owner)
  const assets = ports.ledger.assets.filter((asset) => asset.owner === owner)
  const blobs = assets.flatMap(acknowledgedBlobsOf)
  for (const asset of assets) {
    await compareAsset(ports, asset)
    if (acknowledgedBlobsOf(asset).length > 0) await fetchAssetReceipts(ports, asset)
  }
  for (const hash of new Set(blobs.map(({ hash }) => hash))) await compareBlob(ports, owner, hash)
  for (let start = 0; start < assets.length; start += MAX_VERIFIED_AT_ONCE) {
    const asked = assets.slice(start, start + MAX_VERIFIED_AT_ONCE)
    for (const deep of [false, true]) {
      const verdicts = await verify(ports, asked.map(askedOf), { owner, deep })
      if (verdicts === undefined) ports.ledger.fault(`no verdict on ${asked.map(describeAsset).join(', ')}`)
    }
  }
  return blobs.reduce((sum, { size }) => sum + size, 0)
}
