/** Shares: the owner shows some files to everyone who has an address. */

import { type Bytes, fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { OpaqueId } from '@blindkeep/protocol/ids'
import type { CreateShareRequest, ShareEntryResponse } from '@blindkeep/protocol/schemas/shares'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { AssetError } from '../assets/assetError.ts'
import { type AssetFacts, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { readBlobStart } from '../assets/readBlob.ts'
import {
  type AssetPermissions,
  nameFacts,
  originalContext,
  readMetadata,
  vouchForSigned,
} from '../assets/vouchedAsset.ts'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/errors.ts'
import { type ListRequest, type WholeListOptions, wholeList } from '../http/listPages.ts'
import { descriptionOf } from '../seal/fileHeader.ts'
import { newOpaqueId } from '../seal/newId.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import { openGivenName, sealName } from '../seal/sealedName.ts'
import { formatShare, parseShare, type ShareAddress } from './shareAddress.ts'
import { openShareIndex, type ShareEntry, sealShareIndex } from './shareIndex.ts'
import { stretchSharePassphrase } from './sharePassphrase.ts'
import { openGivenRecord, type ShareRecord, type ShareSummary, sealShareRecord, summaryOf } from './shareRecord.ts'

export type { ShareSummary } from './shareRecord.ts'

/** Each takes up to four small requests; more at once would only queue in the browser. */
const ASSETS_AT_ONCE = 6

/** An unsigned asset cannot be shared: a receiver keeps what the share has shown. */
export interface CreateShare extends Pick<AssetPermissions, 'allowRevokedDevice'> {
  /** The owner's own name for the share, at most 600 bytes. Sealed; receivers do not see it. */
  readonly name?: string | undefined
  /** Receivers need it besides the address; the owner gives it to them by another way. It is stored nowhere. */
  readonly passphrase?: string | undefined
  /** RFC 3339. Without it, the share does not expire. */
  readonly expiresAt?: string | undefined
  /** How many visits may download, 1 to 250. Without it, any number; a server of an earlier version refuses it. */
  readonly maxDownloads?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface CreatedShare {
  readonly opaqueId: OpaqueId
  /**
   * The whole address, SECRET: everyone who has it, and the passphrase if there is one, can read the shared files. The
   * part after # reaches the server only sealed under the account key, so that `listShares` has the address again.
   */
  readonly url: string
  /**
   * Whether the server keeps name and address for the owner. A server of an earlier version does not: then this is the
   * only time that the address can be copied.
   */
  readonly isKept: boolean
}

export interface OwnShare {
  readonly opaqueId: OpaqueId
  readonly createdAt: string
  readonly expiresAt: string | undefined
  readonly passphraseRequired: boolean
  /** Of visits, as the server counts them. Undefined at a server of an earlier version. */
  readonly visits: ShareVisits | undefined
  readonly maxDownloads: number | undefined
  readonly name: string | undefined
  /** Set when the name from the server does not open under this account's key as that of this share. */
  readonly nameFault: string | undefined
  /** SECRET, at the server's public URL. Undefined if the client that made the share kept no record. */
  readonly url: string | undefined
  /** What was in it when it was made. Undefined as `url` is. */
  readonly contents: ShareSummary | undefined
  /** Set when the record from the server does not open under this account's key as that of this share. */
  readonly recordFault: string | undefined
}

export interface ShareVisits {
  readonly opened: number
  /** How many of them have begun to download, whatever and how much of it. */
  readonly downloaded: number
  /** RFC 3339: when the last of them began. */
  readonly lastAt: string | undefined
}

export interface OwnerShares {
  /**
   * Shows the files of these assets, with names, types and times, to everyone who has the address, and the passphrase
   * if there is one. Later changes do not affect it; of an asset that was deleted or replaced, the file is no longer
   * available. Reads the name and the header of each file, not its content. With facts, it shares exactly what they
   * describe. Throws what `openAsset` throws, and `ShareError` `too_large`; with a passphrase `error.request.malformed`
   * at a server of an earlier version, which would not ask for it.
   */
  createShare(assets: readonly (string | AssetFacts)[], options?: CreateShare): Promise<CreatedShare>
  /** Shares that were not deleted, oldest first by default; expired ones for 30 days. */
  listShares(options?: WholeListOptions<OwnShare>): Promise<readonly OwnShare[]>
  /**
   * The owner's own name; the share shows what it showed before. An empty name removes it. Throws `RangeError` for more
   * than 600 bytes, and what a call throws: `error.share.not_found`.
   */
  nameShare(opaqueId: string, name: string): Promise<void>
  /** How many visits may download, those before included; undefined: any number. */
  limitShare(opaqueId: string, maxDownloads: number | undefined): Promise<void>
  /** The files of a share, as its receivers see them; for the owner, who is no visitor. Not with a passphrase. */
  sharedFiles(url: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly ShareEntry[]>
  /** The share shows nothing from now on; receivers keep what they have read before. */
  deleteShare(opaqueId: string): Promise<void>
}

export function createOwnerShares(ports: AssetPorts): OwnerShares {
  const { call, environment, serverUrl: baseUrl, accountKey } = ports
  return {
    async createShare(assets, { name, passphrase, expiresAt, maxDownloads, signal, allowRevokedDevice } = {}) {
      if (assets.length === 0) throw new RangeError('a share must show at least one asset')
      const opaqueId = newOpaqueId(environment)
      const sealedName = await sealName(nameSeal(accountKey, opaqueId), name)
      const entries = await mapConcurrently(onceEach(assets), ASSETS_AT_ONCE, async (asset) => {
        const facts = typeof asset === 'string' ? await readAsset(call, asset, signal) : asset
        return entryOf(ports, facts, { allowRevokedDevice, signal })
      })
      const shareKey = environment.randomBytes(KEY_BYTES)
      const id = fromHex(opaqueId)
      const needsPassphrase = passphrase !== undefined
      const gate = needsPassphrase
        ? await stretchSharePassphrase(environment, { shareKey, opaqueId: id, passphrase })
        : undefined
      const sealedIndex = await sealShareIndex({ shareKey: gate?.indexKey ?? shareKey, opaqueId: id }, entries)
      const record = { shareKey, needsPassphrase, ...summaryOf(entries) }
      const sealedRecord = await sealShareRecord({ accountKey, opaqueId: id }, record)
      const share = {
        opaque_id: opaqueId,
        sealed_index: toBase64(sealedIndex),
        blob_hashes: [...new Set(entries.map(({ hash }) => hash))],
        expires_at: expiresAt ?? null,
        // A server from before passphrases refuses the name, and so the share.
        ...(gate !== undefined && { passphrase_verifier: toBase64(gate.proof) }),
        ...(maxDownloads !== undefined && { max_downloads: maxDownloads }),
      }
      const notes = {
        ...(sealedName !== undefined && { sealed_name: toBase64(sealedName) }),
        sealed_record: toBase64(sealedRecord),
      }
      const isKept = await createdWithNotes(call, { share, notes, signal })
      return { opaqueId, url: formatShare({ baseUrl, opaqueId, shareKey, needsPassphrase }), isKept }
    },

    async listShares(options) {
      const opened = async (share: ShareEntryResponse): Promise<OwnShare> => {
        const opaqueId = share.opaque_id
        const named = await openGivenName(nameSeal(accountKey, opaqueId), share.sealed_name)
        const kept = await openGivenRecord({ accountKey, opaqueId: fromHex(opaqueId) }, share.sealed_record)
        return {
          opaqueId,
          createdAt: share.created_at,
          expiresAt: share.expires_at ?? undefined,
          passphraseRequired: kept.record?.needsPassphrase ?? share.passphrase_required ?? false,
          visits: visitsOf(share),
          maxDownloads: share.max_downloads ?? undefined,
          name: named.text,
          nameFault: named.fault,
          ...openedOf(kept.record, { baseUrl, opaqueId }),
          recordFault: kept.fault,
        }
      }
      const list = {
        operation: 'listShares',
        ask: async (request: ListRequest) => (await call('listShares', request)).body.shares,
        idOf: ({ opaque_id }: ShareEntryResponse) => opaque_id,
        gone: 'error.share.not_found',
      } as const
      return wholeList(list, opened, options)
    },

    async nameShare(opaqueId, name) {
      const sealed = await sealName(nameSeal(accountKey, opaqueId), name)
      const body = { sealed_name: sealed === undefined ? null : toBase64(sealed) }
      await call('changeShare', { path: { opaque_id: opaqueId }, body })
    },

    async limitShare(opaqueId, maxDownloads) {
      await call('changeShare', { path: { opaque_id: opaqueId }, body: { max_downloads: maxDownloads ?? null } })
    },

    async sharedFiles(url, options) {
      const { opaqueId, shareKey } = parseShare(url)
      const { body } = await call('ownShare', { path: { opaque_id: opaqueId }, signal: options?.signal })
      return openShareIndex({ shareKey, opaqueId: fromHex(opaqueId) }, fromBase64(body.sealed_index))
    },

    async deleteShare(opaqueId) {
      await call('deleteShare', { path: { opaque_id: opaqueId } })
    },
  }
}

function visitsOf({ opened, downloaded, last_at: lastAt }: ShareEntryResponse): ShareVisits | undefined {
  const isCounted = typeof opened === 'number' && typeof downloaded === 'number'
  return isCounted ? { opened, downloaded, lastAt: lastAt ?? undefined } : undefined
}

interface CreationParts {
  readonly share: CreateShareRequest
  readonly notes: Pick<CreateShareRequest, 'sealed_name' | 'sealed_record'>
  readonly signal: AbortSignal | undefined
}

/** Whether the server keeps the notes. One from before them refuses their names: then the share goes without. */
async function createdWithNotes(call: Call, { share, notes, signal }: CreationParts): Promise<boolean> {
  try {
    await call('createShare', { body: { ...share, ...notes }, signal })
    return true
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'error.request.malformed')) throw error
    // If anything else was wrong, the server refuses again.
    await call('createShare', { body: share, signal })
    return false
  }
}

const nameSeal = (accountKey: Bytes, opaqueId: string) =>
  ({ key: accountKey, purpose: 'share-name', contextId: fromHex(opaqueId) }) as const

function openedOf(
  record: ShareRecord | undefined,
  address: Pick<ShareAddress, 'baseUrl' | 'opaqueId'>,
): Pick<OwnShare, 'url' | 'contents'> {
  if (record === undefined) return { url: undefined, contents: undefined }
  const { shareKey, needsPassphrase, ...contents } = record
  return { url: formatShare({ ...address, shareKey, needsPassphrase }), contents }
}

function onceEach(assets: readonly (string | AssetFacts)[]): readonly (string | AssetFacts)[] {
  return [...new Map(assets.map((asset) => [typeof asset === 'string' ? asset : asset.assetId, asset])).values()]
}

/**
 * Refuses an asset without a signed manifest: a malicious server could present any drop of the account as an unsigned
 * asset. Reads the manifest, the metadata and the header of the original, not its content. So the server can still
 * substitute a former original of the same asset, which has the same key (decisions/shares.md).
 */
async function entryOf(
  ports: AssetPorts,
  asset: AssetFacts,
  { allowRevokedDevice, signal }: CreateShare,
): Promise<ShareEntry> {
  const vouched = await vouchForSigned(ports, asset, { allowRevokedDevice }, signal)
  const { hash } = vouched.original
  const metadata = await readMetadata(ports, vouched, signal)
  const prefix = await readPrefix((count) => readBlobStart(ports, { hash, count, signal }))
  const { header, secrets } = await openPrefix(prefix, originalContext(asset, vouched.key))
  if (vouched.provenance.manifest.envelope.plaintext_size < header.size)
    throw new AssetError('asset_differs', 'the server’s original is longer than the signed one')
  const { name, type, modifiedAt } = descriptionOf({ ...nameFacts(vouched, metadata, header), size: header.size })
  return { hash, secrets, size: header.size, name, type, modifiedAt }
}
