/** Asset rows of a stopped server lie between what was acknowledged and what was requested. */
import type { DatabaseSync } from 'node:sqlite'
import type { Asset, AssetBlob, Bundle, Ledger } from '../ledger.ts'
import { type Row, rowsOf } from '../rows.ts'
import { blobsOf, describeAsset } from './assetLedger.ts'

export function judgeAssetRows(database: DatabaseSync, { assets }: Pick<Ledger, 'assets'>): readonly string[] {
  const deletions = new Map(
    rowsOf(database, ASSETS).map((row) => [row.text('asset_id'), row.number('is_deleted') === 1]),
  )
  const blobs = Map.groupBy(rowsOf(database, BLOBS), (row) => row.text('asset_id'))
  const sessions = Map.groupBy(rowsOf(database, SESSIONS), (row) => row.text('asset_id'))
  const known = new Set(assets.map(({ assetId }) => assetId))
  return [
    ...[...deletions.keys()]
      .filter((assetId) => !known.has(assetId))
      .map((assetId) => `no request made asset ${assetId}`),
    ...assets.flatMap((asset) => {
      const { assetId } = asset
      const found = { isDeleted: deletions.get(assetId) === true, blobs: (blobs.get(assetId) ?? []).map(describeRow) }
      const faults = [...assetFaults(asset, found), ...(sessions.get(assetId) ?? []).flatMap(sessionFaults(asset))]
      return faults.map((fault) => `${fault}: ${describeAsset(asset)}`)
    }),
  ]
}

const ASSETS = 'select asset_id, deleted_at is not null as is_deleted from assets'
const BLOBS = 'select asset_id, role, ciphertext_hash, size, upload_id from asset_blobs'
const SESSIONS = `select asset_id, upload_id, role, ciphertext_hash, size, state, received_bytes
  from uploads where asset_id is not null`

interface Found {
  readonly isDeleted: boolean
  /** In the form of `describeRow` and `describe`. */
  readonly blobs: readonly string[]
}

function describeRow(row: Row): string {
  return [row.text('role'), row.text('ciphertext_hash'), row.number('size'), row.text('upload_id')].join(' ')
}

function describe({ role, hash, size, uploadId }: AssetBlob): string {
  return [role, hash, size, uploadId].join(' ')
}

function assetFaults(asset: Asset, { isDeleted, blobs }: Found): readonly string[] {
  const rules: readonly (readonly [boolean, string])[] = [
    [isDeleted && asset.deleted === 'no', 'it is deleted without a request'],
    [!isDeleted && asset.deleted === 'acknowledged', 'an acknowledged deletion is lost'],
    [isDeleted && blobs.length > 0, 'it is deleted and holds blobs'],
    [!isDeleted && !mayHold(asset, blobs), `it holds ${blobs.join(', ') || 'nothing'}`],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault)
}

/** Blobs of one bundle only: the last acknowledged one, with at least its acknowledged blobs, or a later one. */
function mayHold({ bundles }: Asset, held: readonly string[]): boolean {
  const settled = bundles.findLastIndex((bundle) => blobsOf(bundle).some(isAcknowledged))
  if (settled === -1 && held.length === 0) return true
  return bundles.slice(Math.max(0, settled)).some((bundle) => isOf(bundle, held))
}

function isOf(bundle: Bundle, held: readonly string[]): boolean {
  const blobs = blobsOf(bundle)
  const possible = blobs.filter(({ landed }) => landed !== 'no').map(describe)
  const sure = blobs.filter(isAcknowledged).map(describe)
  return held.length > 0 && held.every((each) => possible.includes(each)) && sure.every((each) => held.includes(each))
}

function isAcknowledged({ landed }: AssetBlob): boolean {
  return landed === 'acknowledged'
}

function sessionFaults(asset: Asset): (row: Row) => readonly string[] {
  const blobs = asset.bundles.flatMap(blobsOf)
  return (row) => {
    const [state, hash, role] = [row.text('state'), row.text('ciphertext_hash'), row.text('role')]
    const blob = blobs.find((each) => each.hash === hash && each.role === role && each.size === row.number('size'))
    if (blob === undefined) return ['a session was opened without a request']
    const isEnded = state === 'ended' || state === 'failed'
    const rules: readonly (readonly [boolean, string])[] = [
      [blob.uploadId !== undefined && blob.uploadId !== row.text('upload_id'), 'a session has another id'],
      [isAcknowledged(blob) && state !== 'landed', `an acknowledged landing is ${state}`],
      [blob.landed === 'no' && (state === 'landed' || state === 'finishing'), `it is ${state} without its last chunk`],
      [isEnded && asset.deleted === 'no', `a session is ${state} without a request`],
      [!isEnded && row.number('received_bytes') < blob.acknowledgedOffset, 'acknowledged bytes are not recorded'],
    ]
    return rules.filter(([isBroken]) => isBroken).map(([, fault]) => `${fault}, session ${row.text('upload_id')}`)
  }
}
