/** Shares: the owner shows some files to everyone who has an address. */

import { fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { type AlbumId, type OpaqueId, parseInstant } from '@blindkeep/protocol/ids'
import type { CreateShareRequest } from '@blindkeep/protocol/schemas/shares'
import { KEY_BYTES } from '@blindkeep/protocol/suites'
import { sha256 } from '@noble/hashes/sha2.js'
import { type AssetFacts, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import type { AssetPermissions } from '../assets/vouchedAsset.ts'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/errors.ts'
import type { WholeListOptions } from '../http/listPages.ts'
import { newOpaqueId } from '../seal/newId.ts'
import { sealName } from '../seal/sealedName.ts'
import { markOfFile, stateOfAlbum } from './followedAlbum.ts'
import { type RefreshedShares, type RefreshShares, refreshShares, requireChanges } from './followingShares.ts'
import { formatShare, parseShare } from './shareAddress.ts'
import { ENTRIES_AT_ONCE, shareEntryOf } from './shareEntry.ts'
import { openShareIndex, type ShareEntry, sealShareIndex } from './shareIndex.ts'
import { hasExpired, listOwnShares, nameSeal, type OwnShare } from './shareList.ts'
import { type SharePassphrase, stretchSharePassphrase } from './sharePassphrase.ts'
import { type Followed, sealShareRecord, summaryOf } from './shareRecord.ts'
import { createShareContents } from './showingShares.ts'

export type { RefreshedShare, RefreshedShares, RefreshShares } from './followingShares.ts'
export type { OwnShare, ShareVisits } from './shareList.ts'
export type { ShareSummary } from './shareRecord.ts'

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
  /**
   * The album that has all of the files: from now on the share shows what the album has (`refreshShares`). A server of
   * an earlier version refuses it.
   */
  readonly follow?: AlbumId | undefined
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

export interface ShowingShare {
  readonly share: OwnShare
  /** How many of the contents it has. */
  readonly files: number
}

export interface OwnerShares {
  /**
   * Shows the files of these assets, with names, types and times, to everyone who has the address, and the passphrase
   * if there is one. Later changes do not affect it, unless it follows an album; of an asset that was deleted or
   * replaced, the file is no longer available. Reads the name and the header of each file, not its content. With facts,
   * it shares exactly what they describe. Throws what `openAsset` throws, and `ShareError` `too_large`; with a
   * passphrase, or an album to follow, `error.request.malformed` at a server of an earlier version, which knows
   * neither.
   */
  createShare(assets: readonly (string | AssetFacts)[], options?: CreateShare): Promise<CreatedShare>
  /** Shares that were not deleted, oldest first by default; expired ones for 30 days. */
  listShares(options?: WholeListOptions<OwnShare>): Promise<readonly OwnShare[]>
  /**
   * The shares, newest first, that have not expired and have some of these contents, hashes of ciphertexts: originals.
   * Asks for each share once, as long as its record stays the same: at most 1000 answers, 6 at a time.
   */
  showingShares(
    hashes: Iterable<string>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<readonly ShowingShare[]>
  /**
   * The owner's own name; the share shows what it showed before. An empty name removes it. Throws `RangeError` for more
   * than 600 bytes, and what a call throws: `error.share.not_found`.
   */
  nameShare(opaqueId: string, name: string): Promise<void>
  /**
   * Brings the shares that follow an album up to date: call it after a change of an album, and where the owner looks at
   * shares. Sends nothing for a share whose album is as it was.
   */
  refreshShares(options?: RefreshShares): Promise<RefreshedShares>
  /** How many visits may download, those before included; undefined: any number. */
  limitShare(opaqueId: string, maxDownloads: number | undefined): Promise<void>
  /** The files of a share, as its receivers see them; for the owner, who is no visitor. Not with a passphrase. */
  sharedFiles(url: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly ShareEntry[]>
  /** The share shows nothing from now on; receivers keep what they have read before. */
  deleteShare(opaqueId: string): Promise<void>
}

/** `allAssets`: of the account, as the server states them now. */
export function createOwnerShares(
  ports: AssetPorts,
  allAssets: (signal?: AbortSignal) => Promise<Iterable<AssetFacts>>,
): OwnerShares {
  const { call, clock, environment, serverUrl, accountKey } = ports
  const contents = createShareContents(call)
  return {
    async createShare(assets, { name, passphrase, expiresAt, maxDownloads, follow, signal, allowRevokedDevice } = {}) {
      if (assets.length === 0) throw new RangeError('a share must show at least one asset')
      const opaqueId = newOpaqueId(environment)
      const sealedName = await sealName(nameSeal(accountKey, opaqueId), name)
      if (follow !== undefined) await requireChanges(ports)
      const facts = await mapConcurrently(onceEach(assets), ENTRIES_AT_ONCE, async (asset) =>
        typeof asset === 'string' ? await readAsset(call, asset, signal) : asset,
      )
      if (facts.some(({ albumId }) => albumId !== (follow ?? albumId))) throw new RangeError('a file of another album')
      const entries = await mapConcurrently(facts, ENTRIES_AT_ONCE, async (asset) => ({
        ...(await shareEntryOf(ports, asset, { allowRevokedDevice, signal })),
        ...(follow !== undefined && { mark: markOfFile(asset) }),
      }))
      const shareKey = environment.randomBytes(KEY_BYTES)
      const id = fromHex(opaqueId)
      const needsPassphrase = passphrase !== undefined
      const gate = needsPassphrase
        ? await stretchSharePassphrase(environment, { shareKey, opaqueId: id, passphrase })
        : undefined
      const sealedIndex = await sealShareIndex({ shareKey: gate?.indexKey ?? shareKey, opaqueId: id }, entries)
      const follows = follow && { ...following(follow, facts, expiresAt), ...sealedAs(sealedIndex, gate) }
      const record = { shareKey, needsPassphrase, ...summaryOf(entries), ...(follows && { follows }) }
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
      return { opaqueId, url: formatShare({ baseUrl: serverUrl, opaqueId, shareKey, needsPassphrase }), isKept }
    },

    listShares: (options) => listOwnShares(ports, ({ share }) => share, options),

    async showingShares(hashes, { signal } = {}) {
      const wanted = new Set(hashes)
      if (wanted.size === 0) return []
      const listed = await listOwnShares(ports, (one) => one, { order: 'newest', signal })
      const live = listed.filter(({ share }) => !hasExpired(share, clock.now()))
      const counts = await contents.countsIn(
        live.map(({ row }) => row),
        wanted,
        signal,
      )
      return live.map(({ share }, index) => ({ share, files: counts[index] ?? 0 })).filter(({ files }) => files > 0)
    },

    refreshShares: ({ signal, assets = () => allAssets(signal) } = {}) => refreshShares(ports, { assets, signal }),

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

function following(
  albumId: AlbumId,
  files: readonly AssetFacts[],
  expiresAt: string | undefined,
): Pick<Followed, 'albumId' | 'state' | 'until'> {
  // The server refuses what is no time.
  return { albumId, state: stateOfAlbum(files), until: expiresAt === undefined ? undefined : parseInstant(expiresAt) }
}

function sealedAs(
  sealedIndex: Uint8Array,
  gate: SharePassphrase | undefined,
): Pick<Followed, 'indexHash' | 'indexKey'> {
  return { indexHash: Uint8Array.from(sha256(sealedIndex)), indexKey: gate?.indexKey }
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

function onceEach(assets: readonly (string | AssetFacts)[]): readonly (string | AssetFacts)[] {
  return [...new Map(assets.map((asset) => [typeof asset === 'string' ? asset : asset.assetId, asset])).values()]
}
