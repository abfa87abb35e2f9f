/** The receipts of an asset: signed by this server, in one chain, together for exactly the asset's blobs. */
import { type ChainFault, checkChain } from '@blindkeep/protocol/chain'
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { DecodedReceipt } from '@blindkeep/protocol/receipt'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { AssetError } from '../assets/assetError.ts'
import { type AssetBlob, type AssetFacts, blobOf, readAsset } from '../assets/assetFacts.ts'
import { BUNDLE_ROLES, type BundleRole, type SentUploads } from '../assets/bundleRoles.ts'
import { systemEnvironment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import { AnswerError, ProblemError } from '../http/errors.ts'
import { auditServer, openReceipt } from './audit.ts'
import { AuditError } from './auditError.ts'
import { nameChangesOf } from './keyChanges.ts'
import type { PinnedKeys } from './pinnedKeys.ts'
import { joinPins, pinReceipts } from './pins.ts'
import { askUnchanged } from './unchangedAsset.ts'

/** Each takes some milliseconds, and the server decides how many there are: in between, a page can react. */
const CHECKED_AT_ONCE = 8

export interface AssetReceiptsOptions {
  /** Keys that were pinned before for this server. */
  readonly pinned?: PinnedKeys | undefined
  /** The sessions of this client's uploads, where known. */
  readonly uploads?: SentUploads | undefined
  /** What was shown, lowercase hex. Receipts of other blobs are refused: the server swapped the file. */
  readonly hashes?: Readonly<Partial<Record<BundleRole, Sha256Hex>>> | undefined
  readonly signal?: AbortSignal | undefined
}

export interface CheckedAssetReceipt {
  /** The server's answer; store it whole. */
  readonly receipt: AssetReceipt
  /** The content of its signed bytes. */
  readonly signed: DecodedReceipt
}

export interface CheckedAssetReceipts {
  /** In the order of the server's log. */
  readonly receipts: readonly CheckedAssetReceipt[]
  /** The keys to pin from now on. */
  readonly keys: PinnedKeys
}

/**
 * Fetches the receipts of an asset and checks them against the server's own description of it. Throws `AuditError`,
 * `AssetError` (`asset_differs`) when the description names other blobs than `hashes`, and what a call throws:
 * `error.asset.not_found`.
 */
export async function assetReceipts(
  calls: Calls,
  assetId: string,
  options: AssetReceiptsOptions = {},
): Promise<CheckedAssetReceipts> {
  const { hashes, signal } = options
  return await askUnchanged(calls.call, {
    asset: await readAsset(calls.call, assetId, signal),
    signal,
    async ask(asset) {
      if (hashes !== undefined && BUNDLE_ROLES.some((role) => blobOf(asset, role)?.hash !== hashes[role]))
        throw new AssetError('asset_differs', 'the server states other blobs of the asset than those that were shown')
      return await checkReceiptsOf(calls, asset, options)
    },
  })
}

/** The same for a known asset: the receipts must cover exactly `asset.blobs`. */
export async function checkReceiptsOf(
  calls: Calls,
  asset: AssetFacts,
  { pinned, uploads, signal }: AssetReceiptsOptions = {},
): Promise<CheckedAssetReceipts> {
  const audit = await openAudit(calls, pinned)
  return audit.check(asset, await listReceipts(calls, asset.assetId, signal), { uploads, signal })
}

/** The receipts that the server lists, unverified. Throws what a call throws: `error.storage.asset_not_found`. */
export async function listReceipts(
  { call }: Pick<Calls, 'call'>,
  assetId: string,
  signal?: AbortSignal,
): Promise<readonly AssetReceipt[]> {
  const { body } = await call('assetReceipts', { path: { asset_id: assetId }, signal })
  if (body.asset_id !== assetId) throw new AnswerError('assetReceipts', 'it is about another asset')
  return body.receipts
}

/** The check of any number of receipts, with one reading of the server's keys. */
export interface ReceiptAudit {
  /** The canonical origin that receipts name. */
  readonly serverId: string
  /** The keys to pin from now on, with the newest of the receipts that were checked. */
  keys(): PinnedKeys
  /** Checks the server's list: one chain, together for exactly `asset.blobs`. Throws `AuditError`. */
  check(
    asset: AssetFacts,
    listed: readonly AssetReceipt[],
    options?: Pick<AssetReceiptsOptions, 'uploads' | 'signal'>,
  ): Promise<CheckedAssetReceipts>
  /**
   * Reads the server's list and checks it. An asset that has changed since it was described, or that another client
   * changes meanwhile, is asked about as it is then. Throws what a call throws.
   */
  checkListed(asset: AssetFacts, options?: Pick<AssetReceiptsOptions, 'signal'>): Promise<ListedReceipts>
  /** Checks signature, key, server and place in the chain of a kept receipt, not its subject. Throws `AuditError`. */
  checkKept(receipt: AssetReceipt): Promise<DecodedReceipt>
}

export type ListedReceipts =
  /** The asset was deleted meanwhile. */
  | { readonly is: 'deleted' }
  | { readonly is: 'checked'; readonly listed: readonly AssetReceipt[]; readonly checked: CheckedAssetReceipts }
  | { readonly is: 'refused'; readonly listed: readonly AssetReceipt[]; readonly error: AuditError }

/** Reads the keys of the server, and compares them with the pinned ones. Throws what `auditServer` throws. */
export async function openAudit(calls: Calls, pinned?: PinnedKeys): Promise<ReceiptAudit> {
  const server = await auditServer(calls, pinned)
  const { serverId } = server
  let { keys } = server
  /** A key may have begun since they were read. */
  const knowKeys = async (receipts: readonly AssetReceipt[]) => {
    const ids = new Set(keys.keys.map(({ keyId }) => keyId))
    if (receipts.every(({ server_key_id: id }) => ids.has(id))) return
    const known = await auditServer(calls, keys)
    // Other checks may have pinned keys and receipts meanwhile.
    keys = joinPins(keys, known.keys)
  }
  const audit: ReceiptAudit = {
    serverId,
    keys: () => keys,
    checkListed: (asset, options) => checkListed(calls, audit, { asset, ...options }),
    async check(asset, listed, { uploads = {}, signal } = {}) {
      await knowKeys(listed)
      const receipts: CheckedAssetReceipt[] = []
      for (const receipt of listed) {
        if (receipts.length % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await systemEnvironment.wait(0, signal)
        receipts.push({ receipt, signed: await openReceipt({ receipt, keys, serverId }) })
      }
      const signed = receipts.map((one) => one.signed)
      requireOneChain(signed, keys)
      for (const one of signed) requireOfAsset(one, asset)
      for (const blob of asset.blobs) requireReceipt(blob, signed, uploads)
      requireOwnUploads(signed, asset)
      keys = pinReceipts(keys, signed)
      return { receipts, keys }
    },
    async checkKept(receipt) {
      await knowKeys([receipt])
      const signed = await openReceipt({ receipt, keys, serverId })
      keys = pinReceipts(keys, [signed])
      return signed
    },
  }
  return audit
}

interface CheckListed extends Pick<AssetReceiptsOptions, 'signal'> {
  readonly asset: AssetFacts
}

async function checkListed(
  calls: Calls,
  audit: Pick<ReceiptAudit, 'check'>,
  { asset: before, signal }: CheckListed,
): Promise<ListedReceipts> {
  const ask = async (asset: AssetFacts): Promise<ListedReceipts> => {
    const listed = await unlessMissing(listReceipts(calls, asset.assetId, signal))
    try {
      if (listed === undefined) throw new AuditError('receipt_missing', 'the server has a file and no receipts for it')
      return { is: 'checked', listed, checked: await audit.check(asset, listed, { signal }) }
    } catch (error) {
      if (!(error instanceof AuditError)) throw error
      return { is: 'refused', listed: listed ?? [], error }
    }
  }
  const isYes = ({ is }: ListedReceipts) => is !== 'refused'
  return (await unlessMissing(askUnchanged(calls.call, { asset: before, signal, ask, isYes }))) ?? { is: 'deleted' }
}

const MISSING: readonly string[] = ['error.asset.not_found', 'error.storage.asset_not_found']

async function unlessMissing<Answer>(asking: Promise<Answer>): Promise<Answer | undefined> {
  return await asking.catch((error: unknown) => {
    if (error instanceof ProblemError && MISSING.includes(error.code)) return undefined
    throw error
  })
}

const CHAIN_FAULTS: Readonly<Record<ChainFault, string>> = {
  other_server: 'the receipts are from several servers',
  sequence_not_rising: 'the receipts are not in the order of their numbers, or one occurs twice',
  time_went_back: 'a later receipt has an earlier time',
  prior_hash_absent: 'a later receipt claims to be the first of the server',
  prior_hash_differs: 'a receipt does not continue the one before it',
}

function requireOneChain(signed: readonly DecodedReceipt[], keys: PinnedKeys): void {
  const broken = checkChain(signed, { moves: nameChangesOf(keys) })
  if (broken !== undefined) throw new AuditError('chain_broken', CHAIN_FAULTS[broken.fault])
}

/** A replace removes the former blobs and the drop that they came from; their receipts stay listed. */
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
    // Metadata may wait for the manifest of another name, and were perhaps never taken by one.
    if (wasReplaced(asset) || (role === 'metadata' && ofRole.length > 0)) return
    throw ofRole.length === 0
      ? new AuditError('wrong_role', `a receipt is for a ${role} that the asset does not have`)
      : new AuditError('wrong_hash', `a receipt is for other bytes than the asset’s ${role}`)
  }
  if (blob.size !== size) throw new AuditError('wrong_size', `a receipt is for another size than the asset’s ${role}`)
  if ((role === 'provenance' ? ciphertext_hash : undefined) !== envelope_hash)
    throw new AuditError(
      'wrong_envelope',
      'the receipt of the provenance does not state its hash as that of the manifest',
    )
}

/** An adopted original has two receipts: for its landing and for its adoption. */
function requireLanding(dropId: string | undefined, asset: AssetFacts): void {
  const isOfAsset = asset.drop !== undefined && asset.drop.dropId === dropId
  if (!isOfAsset && !wasReplaced(asset)) throw new AuditError('wrong_drop', 'a receipt is for another drop')
}

/** The same bytes may have been there before and been replaced: the latest receipt is for the current ones. */
function requireReceipt({ role, hash }: AssetBlob, signed: readonly DecodedReceipt[], uploads: SentUploads): void {
  const latest = signed.findLast(
    ({ payload }) => payload.asset_id !== undefined && payload.blob_role === role && payload.ciphertext_hash === hash,
  )
  if (latest === undefined) throw new AuditError('receipt_missing', `there is no receipt for the asset’s ${role}`)
  const sent = role === 'derivative' ? undefined : uploads[role]
  if (sent !== undefined && sent !== latest.payload.upload_id)
    throw new AuditError('wrong_upload', `the receipt of the ${role} is for another upload`)
}

/**
 * One session is for one blob. When two blobs have one upload id, or one blob has two, the server has passed off one
 * receipt as another. Exception: a blob that was replaced may have been uploaded again in another session.
 */
function requireOwnUploads(signed: readonly DecodedReceipt[], asset: AssetFacts): void {
  const uploadOf = new Map<string, string>()
  const blobOfUpload = new Map<string, string>()
  for (const { payload } of signed) {
    const blob = `${payload.blob_role} ${payload.ciphertext_hash}`
    const isOther =
      (!wasReplaced(asset) && (uploadOf.get(blob) ?? payload.upload_id) !== payload.upload_id) ||
      (blobOfUpload.get(payload.upload_id) ?? blob) !== blob
    if (isOther) throw new AuditError('wrong_upload', 'the receipts disagree about which upload is for which blob')
    uploadOf.set(blob, payload.upload_id)
    blobOfUpload.set(payload.upload_id, blob)
  }
}
