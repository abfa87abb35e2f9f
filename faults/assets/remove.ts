/** Deleting an asset. Its receipts are fetched before, as nobody is told them afterwards. */
import type { GuestPorts } from '../guest.ts'
import { isRefusedForSpace } from '../upload.ts'
import type { AssetPorts } from './adopt.ts'
import { type Asset, describeAsset, heldBy } from './assetLedger.ts'
import { fetchAssetReceipts } from './look.ts'

/** One try. Afterwards the ledger knows that it is gone, or nothing new. */
export async function removeAsset(
  ports: AssetPorts & Pick<GuestPorts, 'attestationKeys'>,
  asset: Asset,
): Promise<void> {
  const { api, ledger, moments } = ports
  const isFirst = asset.deleted === 'no'
  if (isFirst && heldBy(asset).length > 0) await fetchAssetReceipts(ports, asset)
  if (isFirst) asset.deleted = 'asked'
  moments.note('delete sent')
  const path = `/v1/assets/${asset.assetId}`
  const reply = await api.ask({ method: 'DELETE', path, token: asset.owner.token })
  if (reply === undefined || isRefusedForSpace(ports, reply)) return
  if (reply.status !== 204 && (reply.status !== 404 || isFirst))
    return ledger.fault(`a deletion was answered ${reply.status} ${reply.code}: ${describeAsset(asset)}`)
  asset.deleted = 'acknowledged'
  moments.note('deleted')
  ledger.counts.deletions++
}
