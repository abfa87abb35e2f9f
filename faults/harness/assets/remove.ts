/** Deletes an asset. Fetches its receipts first, as the server does not answer with them afterwards. */
import type { GuestPorts } from '../guest.ts'
import type { Asset } from '../ledger.ts'
import { isRefusedForSpace } from '../uploadRules.ts'
import type { AssetPorts } from './adopt.ts'
import { acknowledgedBlobsOf, describeAsset } from './assetLedger.ts'
import { fetchAssetReceipts } from './compare.ts'

/** One try. The ledger changes only when the server acknowledges the deletion. */
export async function removeAsset(
  ports: AssetPorts & Pick<GuestPorts, 'attestationKeys'>,
  asset: Asset,
): Promise<void> {
  const { api, ledger, moments } = ports
  const isFirst = asset.deleted === 'no'
  if (isFirst && acknowledgedBlobsOf(asset).length > 0) await fetchAssetReceipts(ports, asset)
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
