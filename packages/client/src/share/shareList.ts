/** The shares of an account, as its owner sees them. */
import { type Bytes, fromHex } from '@blindkeep/protocol/bytes'
import { type AlbumId, type Instant, millisecondsOf, type OpaqueId } from '@blindkeep/protocol/ids'
import type { ShareEntryResponse } from '@blindkeep/protocol/schemas/shares'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { type ListRequest, type WholeListOptions, wholeList } from '../http/listPages.ts'
import { openGivenName } from '../seal/sealedName.ts'
import { formatShare, type ShareAddress } from './shareAddress.ts'
import { openGivenRecord, type ShareRecord, type ShareSummary } from './shareRecord.ts'

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
  /** What was in it when it was made, or last followed its album. Undefined as `url` is. */
  readonly contents: ShareSummary | undefined
  /** The album whose files it shows, also those that come later; undefined for other shares. */
  readonly follows: AlbumId | undefined
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

export interface ListedShare {
  readonly share: OwnShare
  readonly row: ShareEntryResponse
  /** Absent where `share.url` is. */
  readonly record: ShareRecord | undefined
}

export function listOwnShares<Item>(
  ports: Pick<AssetPorts, 'call' | 'accountKey' | 'serverUrl'>,
  make: (listed: ListedShare) => Item,
  options?: WholeListOptions<Item>,
): Promise<readonly Item[]> {
  const list = {
    operation: 'listShares',
    ask: async (request: ListRequest) => (await ports.call('listShares', request)).body.shares,
    idOf: ({ opaque_id }: ShareEntryResponse) => opaque_id,
    gone: 'error.share.not_found',
  } as const
  return wholeList(list, async (row) => make(await opened(ports, row)), options)
}

async function opened(
  { accountKey, serverUrl }: Pick<AssetPorts, 'accountKey' | 'serverUrl'>,
  row: ShareEntryResponse,
): Promise<ListedShare> {
  const opaqueId = row.opaque_id
  const named = await openGivenName(nameSeal(accountKey, opaqueId), row.sealed_name)
  const { record, fault } = await openGivenRecord({ accountKey, opaqueId: fromHex(opaqueId) }, row.sealed_record)
  const share = {
    opaqueId,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    passphraseRequired: record?.needsPassphrase ?? row.passphrase_required ?? false,
    visits: visitsOf(row),
    maxDownloads: row.max_downloads ?? undefined,
    name: named.text,
    nameFault: named.fault,
    ...openedOf(record, { baseUrl: serverUrl, opaqueId }),
    recordFault: fault,
  }
  return { share, row, record }
}

/** By the server's clock, as it ends. */
export function hasExpired({ expiresAt }: Pick<OwnShare, 'expiresAt'>, now: Instant): boolean {
  return expiresAt !== undefined && millisecondsOf(expiresAt) <= now
}

function visitsOf({ opened, downloaded, last_at: lastAt }: ShareEntryResponse): ShareVisits | undefined {
  const isCounted = typeof opened === 'number' && typeof downloaded === 'number'
  return isCounted ? { opened, downloaded, lastAt: lastAt ?? undefined } : undefined
}

export const nameSeal = (accountKey: Bytes, opaqueId: string) =>
  ({ key: accountKey, purpose: 'share-name', contextId: fromHex(opaqueId) }) as const

function openedOf(
  record: ShareRecord | undefined,
  address: Pick<ShareAddress, 'baseUrl' | 'opaqueId'>,
): Pick<OwnShare, 'url' | 'contents' | 'follows'> {
  if (record === undefined) return { url: undefined, contents: undefined, follows: undefined }
  const { shareKey, needsPassphrase, follows, ...contents } = record
  return { url: formatShare({ ...address, shareKey, needsPassphrase }), contents, follows: follows?.albumId }
}
