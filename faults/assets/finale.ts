/** After the last kill: every asset is looked at in all the ways there are, and the server has to call durable all that it acknowledged. */
import type { Owner } from '../ledger.ts'
import { describeAsset, heldBy } from './assetLedger.ts'
import { compareAsset, compareBlob, fetchAssetReceipts } from './look.ts'
import { type AuthorPorts, settleAll } from './runAuthor.ts'
import { askedOf, verify } from './verify.ts'

const VERIFIED_AT_ONCE = 100

/** Gives the bytes that the owner’s assets hold. */
export async function bringAssetsToAnEnd(ports: AuthorPorts, owner: Owner): Promise<number> {
  await settleAll(ports, owner)
  const assets = ports.ledger.assets.filter((asset) => asset.owner === owner)
  const held = assets.flatMap(heldBy)
  for (const asset of assets) {
    await compareAsset(ports, asset)
    if (heldBy(asset).length > 0) await fetchAssetReceipts(ports, asset)
  }
  for (const hash of new Set(held.map(({ hash }) => hash))) await compareBlob(ports, owner, hash)
  for (let start = 0; start < assets.length; start += VERIFIED_AT_ONCE) {
    const asked = assets.slice(start, start + VERIFIED_AT_ONCE)
    for (const deep of [false, true]) {
      const verdicts = await verify(ports, asked.map(askedOf), { owner, deep })
      if (verdicts === undefined) ports.ledger.fault(`no verdict on ${asked.map(describeAsset).join(', ')}`)
    }
  }
  return held.reduce((sum, { size }) => sum + size, 0)
}
