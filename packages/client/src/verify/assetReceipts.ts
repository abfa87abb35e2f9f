/** The receipts of an asset: each signed by this server, all in one order, and together for exactly the blobs that the asset has. */
import { type ChainFault, checkChain } from '@blindkeep/protocol/chain'
import type { DecodedReceipt } from '@blindkeep/protocol/receipt'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { type AssetBlob, type AssetFacts, readAsset } from '../assets/assetFacts.ts'
import type { SentUploads } from '../assets/bundleRoles.ts'
import type { Calls } from '../http/call.ts'
import { AnswerError } from '../http/errors.ts'
import { auditServer, openReceipt, type ServerFacts } from './audit.ts'
import { AuditError } from './auditError.ts'
import type { PinnedKeys } from './pins.ts'

export interface AssetReceiptsOptions {
  /** Keys seen before on this server. */
  readonly pinned?: PinnedKeys | undefined
  /** The sessions that this client has sent, where it knows them. */
  readonly uploads?: SentUploads | undefined
  readonly signal?: AbortSignal | undefined
}

export interface CheckedAssetReceipt {
  /** As the server gave it; keep it whole. */
  readonly receipt: AssetReceipt
  /** What its signed bytes say. */
  readonly signed: DecodedReceipt
}

export interface CheckedAssetReceipts {
  /** In the order of the server's log. */
  readonly receipts: readonly CheckedAssetReceipt[]
  /** To pin from now on. */
  readonly keys: PinnedKeys
}

/**
 * Fetches the receipts of an asset and checks all of them against what the server says that the asset has. Throws `AuditError`, or what a call throws:
 * `error.asset.not_found`.
 */
export async function assetReceipts(
  calls: Calls,
  assetId: string,
  options: AssetReceiptsOptions = {},
): Promise<CheckedAssetReceipts> {
  const asset = await readAsset(calls.call, assetId, options.signal)
  return checkReceiptsOf(calls, asset, options)
}

/** The same for an asset that is known: `asset.blobs` is what the receipts have to be for, neither more nor less. */
export async function checkReceiptsOf(
  calls: Calls,
  asset: AssetFacts,
  { pinned, uploads, signal }: AssetReceiptsOptions = {},
): Promise<CheckedAssetReceipts> {
  return checkReceiptsBy(calls, asset, { server: await auditServer(calls, pinned), uploads, signal })
}

interface ByServer extends Omit<AssetReceiptsOptions, 'pinned'> {
  /** Audited a moment ago, with what was pinned. */
  readonly server: ServerFacts
}

/** The same for many assets at once, for which the server is audited once. */
export async function checkReceiptsBy(
  { call }: Pick<Calls, 'call'>,
  asset: AssetFacts,
  { server: { serverId, keys }, uploads = {}, signal }: ByServer,
): Promise<CheckedAssetReceipts> {
  const { body } = await call('assetReceipts', { path: { asset_id: asset.assetId }, signal })
  if (body.asset_id !== asset.assetId) throw new AnswerError('assetReceipts', 'it is about another asset')
  const receipts: CheckedAssetReceipt[] = []
  for (const receipt of body.receipts)
    receipts.push({ receipt, signed: await openReceipt({ receipt, keys, serverId }) })
  const signed = receipts.map((one) => one.signed)
  requireOneChain(signed)
  for (const one of signed) requireOfAsset(one, asset)
  for (const blob of asset.blobs) requireReceipt(blob, signed, uploads)
  requireOwnUploads(signed, asset)
  return { receipts, keys }
}

const CHAIN_FAULTS: Readonly<Record<ChainFault, string>> = {
  other_server: 'the receipts are of several servers',
  sequence_not_rising: 'the receipts are not in the order of their numbers, or one is there twice',
  time_went_back: 'a later receipt has an earlier time',
  prior_hash_absent: 'a later receipt calls itself the first of the server',
  prior_hash_differs: 'a receipt does not continue from the one before it',
}

function requireOneChain(signed: readonly DecodedReceipt[]): void {
  const broken = checkChain(signed)
  if (broken !== undefined) throw new AuditError('chain_broken', CHAIN_FAULTS[broken.fault])
}

/** A replace drops the blobs that were there, and the drop that they came from; their receipts are told as before. */
function wasReplaced({ envelope }: AssetFacts): boolean {
  return envelope.action === 'replace'
}

function requireOfAsset({ payload }: DecodedReceipt, asset: AssetFacts): void {
  const { asset_id, blob_role: role, ciphertext_hash, size, envelope_hash } = payload
  if (asset_id === undefined) requireLanding(payload.drop_id, asset)
  else if (asset_id !== asset.assetId) throw new AuditError('wrong_asset', 'a receipt is for another asset')
  const ofRole = asset.blobs.filter((blob) => blob.role === role)
  const blob = ofRole.find(({ hash }) => hash === ciphertext_hash)
  if (blob === undefined) {
    if (wasReplaced(asset)) return
    throw ofRole.length === 0
      ? new AuditError('wrong_role', `a receipt is for a ${role} that the asset does not have`)
      : new AuditError('wrong_hash', `a receipt is for other bytes than the asset’s ${role}`)
  }
  if (blob.size !== size) throw new AuditError('wrong_size', `a receipt is for another size than the asset’s ${role}`)
  if ((role === 'provenance' ? ciphertext_hash : undefined) !== envelope_hash)
    throw new AuditError(
      'wrong_envelope',
      'the receipt of the provenance does not name its hash as that of the manifest',
    )
}

/** An adopted original has the receipt of its landing beside that of its adoption. */
function requireLanding(dropId: string | undefined, asset: AssetFacts): void {
  const isOfAsset = asset.drop !== undefined && asset.drop.dropId === dropId
  if (!isOfAsset && !wasReplaced(asset)) throw new AuditError('wrong_drop', 'a receipt is for another drop')
}

/** The same bytes may have been there before, and been replaced: the latest receipt is that of those that are there now. */
function requireReceipt({ role, hash }: AssetBlob, signed: readonly DecodedReceipt[], uploads: SentUploads): void {
  const latest = signed.findLast(
    ({ payload }) => payload.asset_id !== undefined && payload.blob_role === role && payload.ciphertext_hash === hash,
  )
  if (latest === undefined) throw new AuditError('receipt_missing', `no receipt says that the asset has its ${role}`)
  const sent = role === 'derivative' ? undefined : uploads[role]
  if (sent !== undefined && sent !== latest.payload.upload_id)
    throw new AuditError('wrong_upload', `the receipt of the ${role} is for another upload than brought it`)
}

/**
 * One session brings one blob: two blobs with one upload id, or one with two, would be a receipt that stands for another's.
 * Only where a blob was replaced may it have come again, in another session.
 */
function requireOwnUploads(signed: readonly DecodedReceipt[], asset: AssetFacts): void {
  const uploadOf = new Map<string, string>()
  const blobOfUpload = new Map<string, string>()
  for (const { payload } of signed) {
    const blob = `${payload.blob_role} ${payload.ciphertext_hash}`
    const isOther =
      (!wasReplaced(asset) && (uploadOf.get(blob) ?? payload.upload_id) !== payload.upload_id) ||
      (blobOfUpload.get(payload.upload_id) ?? blob) !== blob
    if (isOther) throw new AuditError('wrong_upload', 'the receipts disagree about which upload brought what')
    uploadOf.set(blob, payload.upload_id)
    blobOfUpload.set(payload.upload_id, blob)
  }
}
