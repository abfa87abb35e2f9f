/** Compares an asset as owners see it with the ledger: itself, receipts, bytes and verdicts. */
import { verifiers } from '@blindkeep/client/receipts'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { type DecodedReceipt, decodeReceipt, verifyReceipt } from '@blindkeep/protocol/receipt'
import type { AssetReceiptsResponse, AssetResponse } from '@blindkeep/protocol/schemas/assets'
import { jsonOf } from '../api.ts'
import type { GuestPorts } from '../guest.ts'
import type { Asset, AssetBlob, Owner } from '../ledger.ts'
import { sha256 } from '../random.ts'
import { acknowledgedBlobsOf, blobsOf, describeAsset, isUnsettled } from './assetLedger.ts'

export type LookPorts = Pick<GuestPorts, 'api' | 'ledger' | 'attestationKeys'>

/** Only for a settled asset. */
export async function compareAsset({ api, ledger }: LookPorts, asset: Asset): Promise<void> {
  const { assetId, owner, bundles } = asset
  const held = acknowledgedBlobsOf(asset)
  const reply = await api.askUntilAnswered({ method: 'GET', path: `/v1/assets/${assetId}`, token: owner.token })
  const answer = reply.status === 200 ? jsonOf<AssetResponse>(reply) : undefined
  const found = answer?.blobs.map(({ role, hash, size }) => [role, hash, size].join(' '))
  const expected = held.map(({ role, hash, size }) => [role, hash, size].join(' '))
  const isAsExpected = found === undefined ? held.length === 0 : found.sort().join() === [...expected].sort().join()
  const dropId = held.length === 0 ? undefined : bundles.at(-1)?.original.attempt?.dropId
  if (!isAsExpected || answer?.drop?.drop_id !== dropId || (reply.status !== 200 && reply.status !== 404))
    ledger.fault(`it was answered ${reply.status} ${reply.body}: ${describeAsset(asset)}`)
}

/** Downloads a blob by its hash. */
export async function compareBlob({ api, ledger }: LookPorts, { token }: Owner, hash: string): Promise<void> {
  const reply = await api.askUntilAnswered({ method: 'GET', path: `/v1/blob/${hash}`, token })
  ledger.counts.contentsCompared++
  if (reply.status !== 200) ledger.fault(`a blob was answered ${reply.status} ${reply.code}: ${hash}`)
  else if (sha256(reply.body) !== hash) ledger.fault(`a blob has other bytes: ${hash}`)
}

/** One receipt for each blob that ever landed, one for each adopted drop's landing. None change or vanish. */
export async function fetchAssetReceipts(ports: LookPorts, asset: Asset): Promise<void> {
  const { api, ledger, attestationKeys } = ports
  const { assetId, owner, bundles } = asset
  const path = `/v1/assets/${assetId}/receipts`
  const reply = await api.askUntilAnswered({ method: 'GET', path, token: owner.token })
  if (reply.status !== 200) return ledger.fault(`its receipts were answered ${reply.status}: ${describeAsset(asset)}`)
  const { receipts } = jsonOf<AssetReceiptsResponse>(reply)
  const decoded: DecodedReceipt[] = []
  for (const { receipt_cbor, server_key_id } of receipts) {
    const publicKey = attestationKeys.get(server_key_id)
    if (publicKey === undefined) return ledger.fault(`a receipt names the unknown key ${server_key_id}`)
    const receiptCbor = fromBase64(receipt_cbor)
    const isVerified = asset.receipts.has(receipt_cbor)
    decoded.push(
      isVerified ? decodeReceipt(receiptCbor) : await verifyReceipt({ receiptCbor, publicKey, verify: verifiers }),
    )
  }
  const present = new Set(receipts.map(({ receipt_cbor }) => receipt_cbor))
  const landed = bundles.flatMap(blobsOf).filter((blob) => blob.landed === 'acknowledged')
  const wanted = landed.flatMap((blob) => receiptsOf(asset, blob)).sort()
  const found = decoded.map(describeReceipt).sort()
  const isWhole = isUnsettled(asset) ? wanted.every((each) => found.includes(each)) : wanted.join() === found.join()
  if (!isWhole) ledger.fault(`its receipts are ${found.join(', ')}: ${describeAsset(asset)}`)
  if ([...asset.receipts].some((text) => !present.has(text)))
    ledger.fault(`a receipt is missing: ${describeAsset(asset)}`)
  for (const text of present) asset.receipts.add(text)
}

/** As `describeReceipt`. An adopted blob has two, landing and adoption, with the guest’s session. */
function receiptsOf({ assetId }: Asset, { role, hash, size, uploadId, attempt }: AssetBlob): readonly string[] {
  const own = [`${role} ${hash} ${size} by ${uploadId} in ${assetId}`]
  return attempt === undefined ? own : [...own, `original ${hash} ${size} by ${uploadId} as ${attempt.dropId}`]
}

function describeReceipt({ payload }: DecodedReceipt): string {
  const {
    blob_role: role,
    ciphertext_hash: hash,
    size,
    upload_id: uploadId,
    asset_id: assetId,
    drop_id: dropId,
  } = payload
  return `${role} ${hash} ${size} by ${uploadId} ${assetId === undefined ? `as ${dropId}` : `in ${assetId}`}`
}
