/**
 * Shares that follow their album (decisions/following-shares.md). The client that changes an album brings them up to
 * date; as it may be stopped before, each client looks again where its owner looks at shares.
 */
import { equalBytes, fromBase64, fromHex, toBase64, toHex } from '@blindkeep/protocol/bytes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import { sha256Hex } from '@blindkeep/protocol/sha256Hex'
import { AssetError, AssetIncomplete, AssetUnsigned } from '../assets/assetError.ts'
import { type AssetFacts, blobOf } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { ProblemError } from '../http/errors.ts'
import { newOpaqueId } from '../seal/newId.ts'
import { SealError } from '../seal/sealError.ts'
import { filesOfAlbum, fittingEntries, markOfFile, stateOfAlbum } from './followedAlbum.ts'
import { ENTRIES_AT_ONCE, shareEntryOf } from './shareEntry.ts'
import { ShareError } from './shareError.ts'
import { openShareIndex, type ShareEntry, sealShareIndex } from './shareIndex.ts'
import { hasExpired, type ListedShare, listOwnShares, type OwnShare } from './shareList.ts'
import { type Followed, type ShareRecord, sealShareRecord, summaryOf } from './shareRecord.ts'

export interface RefreshShares {
  /** All assets of the account, read again at each call. By default from the beginning of the list of changes. */
  readonly assets?: (() => Promise<Iterable<AssetFacts>>) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface RefreshedShares {
  /** How many shares follow an album and have not expired. */
  readonly following: number
  readonly changed: readonly RefreshedShare[]
  /** Shares that others changed each time that this client was about to: compare again later. */
  readonly behind: number
}

/** A share that shows something else now. */
export interface RefreshedShare {
  /** As it was listed before. */
  readonly share: OwnShare
  /** How many files it shows. */
  readonly files: number
  readonly added: number
  readonly removed: number
  /** Files of the album that it does not show: no device that may sign vouches for them, or there is no room. */
  readonly left: number
}

/** Of a client that loses against another one, which writes the same. */
const MAX_ROUNDS = 4
/** Their indexes are in the memory at once, each of at most 512 KiB. */
const SHARES_AT_ONCE = 8

type Following = ListedShare & { readonly record: ShareRecord & { readonly follows: Followed } }

/**
 * Throws what a call throws; and when the others are up to date, `ShareError` for a share whose index does not open,
 * and `error.request.limit_reached` for one that has no room. What one file is refused for leaves it out.
 */
export async function refreshShares(
  ports: AssetPorts,
  { assets, signal }: RefreshShares & { readonly assets: () => Promise<Iterable<AssetFacts>> },
): Promise<RefreshedShares> {
  const changed: RefreshedShare[] = []
  for (let round = 1; ; round++) {
    let behind = 0
    const failures: unknown[] = []
    const noteFailure = (error: unknown): undefined => {
      if (!isOfOneShare(error)) throw error
      failures.push(error)
    }
    const following = await followingShares(ports, signal)
    const stale = following.length === 0 ? [] : staleOf(following, await assets())
    for (let from = 0; from < stale.length; from += SHARES_AT_ONCE) {
      const some = await mapConcurrently(stale.slice(from, from + SHARES_AT_ONCE), SHARES_AT_ONCE, (share) =>
        readIndex(ports, share, signal).catch(noteFailure),
      )
      // After the indexes: otherwise a file that another client has just added to one would be taken out of it again.
      const present = [...(await assets())]
      for (const one of some) {
        // Mostly another client has changed it since it was listed. Otherwise all of it is read again.
        const isOfAnother = one?.isOwn === false && round < MAX_ROUNDS
        const outcome = isOfAnother
          ? 'changed_elsewhere'
          : one && (await refreshShare(ports, one, { present, signal }).catch(noteFailure))
        if (outcome === 'changed_elsewhere') behind += 1
        else if (outcome !== undefined) changed.push(outcome)
      }
    }
    if (behind > 0 && round < MAX_ROUNDS) continue
    if (failures.length > 0) throw failures[0]
    return { following: following.length, changed, behind }
  }
}

/** Refused by a server of an earlier version, which would never show a file that comes later. Changes nothing. */
export async function requireChanges({ call, environment }: Pick<AssetPorts, 'call' | 'environment'>): Promise<void> {
  const byte = toBase64(Uint8Array.of(0))
  const body = {
    sealed_index: byte,
    blob_hashes: [],
    sealed_record: byte,
    prior_index_hash: sha256Hex(Uint8Array.of()),
  }
  await call('changeShare', { path: { opaque_id: newOpaqueId(environment) }, body }).catch(unlessGone)
}

async function followingShares(ports: AssetPorts, signal?: AbortSignal): Promise<readonly Following[]> {
  const listed = await listOwnShares(ports, (one) => one, { signal })
  const now = ports.clock.now()
  // The server could set its clock back, too.
  const latest = Math.max(now, ports.environment.now())
  return listed
    .filter(isFollowing)
    .filter(({ share, record: { follows } }) => !hasExpired(share, now) && (follows.until ?? Infinity) > latest)
}

const isFollowing = (listed: ListedShare): listed is Following => listed.record?.follows !== undefined

function staleOf(following: readonly Following[], assets: Iterable<AssetFacts>): readonly Following[] {
  const present = [...assets]
  const states = new Map<string, Uint8Array>()
  return following.filter(({ record: { follows } }) => {
    const state = states.get(follows.albumId) ?? stateOfAlbum(filesOfAlbum(present, follows.albumId))
    states.set(follows.albumId, state)
    return !equalBytes(follows.state, state)
  })
}

interface ReadShare {
  readonly following: Following
  readonly priorIndexHash: Sha256Hex
  /** Whether it is the index of the record: a client of the account has sealed it. */
  readonly isOwn: boolean
  readonly entries: readonly ShareEntry[]
}

const sealOf = ({ row, record }: Following) => ({
  shareKey: record.follows.indexKey ?? record.shareKey,
  opaqueId: fromHex(row.opaque_id),
})

/** Undefined of a share that was deleted. An index that does not open is one that the server has altered. */
async function readIndex(
  { call }: AssetPorts,
  following: Following,
  signal: AbortSignal | undefined,
): Promise<ReadShare | undefined> {
  const { row } = following
  const answer = await call('ownShare', { path: { opaque_id: row.opaque_id }, signal }).catch(unlessGone)
  if (answer === undefined) return undefined
  const sealed = fromBase64(answer.body.sealed_index)
  const priorIndexHash = sha256Hex(sealed)
  const isOwn = toHex(following.record.follows.indexHash) === priorIndexHash
  return { following, priorIndexHash, isOwn, entries: await openShareIndex(sealOf(following), sealed) }
}

interface Present {
  readonly present: readonly AssetFacts[]
  readonly signal: AbortSignal | undefined
}

async function refreshShare(
  ports: AssetPorts,
  { following, priorIndexHash, isOwn, entries: before }: ReadShare,
  { present, signal }: Present,
): Promise<RefreshedShare | 'changed_elsewhere' | undefined> {
  const { record, share } = following
  const files = filesOfAlbum(present, record.follows.albumId)
  const entries = fittingEntries(await entriesOf(ports, { files, before: isOwn ? before : [] }, signal), before)
  const seal = sealOf(following)
  const sealedIndex = await sealShareIndex(seal, entries)
  const follows = { ...record.follows, state: stateOfAlbum(files), indexHash: fromHex(sha256Hex(sealedIndex)) }
  const sealedRecord = await sealShareRecord(
    { accountKey: ports.accountKey, opaqueId: seal.opaqueId },
    { ...record, ...summaryOf(entries), follows },
  )
  const body = {
    sealed_index: toBase64(sealedIndex),
    blob_hashes: entries.map(({ hash }) => hash),
    sealed_record: toBase64(sealedRecord),
    prior_index_hash: priorIndexHash,
  }
  try {
    await ports.call('changeShare', { path: { opaque_id: share.opaqueId }, body, signal })
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.share.changed') return 'changed_elsewhere'
    return unlessGone(error)
  }
  const shown = new Set(before.map(({ hash }) => hash))
  const kept = entries.filter(({ hash }) => shown.has(hash)).length
  const changes = { added: entries.length - kept, removed: before.length - kept }
  return { share, files: entries.length, ...changes, left: files.length - entries.length }
}

interface Album {
  readonly files: readonly AssetFacts[]
  readonly before: readonly ShareEntry[]
}

/** In the order of the files. Only what is new or has another name is read. */
async function entriesOf(
  ports: AssetPorts,
  { files, before }: Album,
  signal: AbortSignal | undefined,
): Promise<readonly ShareEntry[]> {
  const known = new Map<string, ShareEntry>(before.map((entry) => [entry.hash, entry]))
  const entries = await mapConcurrently(files, ENTRIES_AT_ONCE, async (asset) => {
    const mark = markOfFile(asset)
    const entry = known.get(blobOf(asset, 'original')?.hash ?? '')
    if (entry?.mark !== undefined && equalBytes(entry.mark, mark)) return entry
    try {
      return { ...(await shareEntryOf(ports, asset, { signal })), mark }
    } catch (error) {
      if (isOfOneFile(error)) return undefined
      throw error
    }
  })
  return entries.filter((entry) => entry !== undefined)
}

function isOfOneShare(error: unknown): boolean {
  return error instanceof ShareError || (error instanceof ProblemError && error.code === 'error.request.limit_reached')
}

function isOfOneFile(error: unknown): boolean {
  if (error instanceof ProblemError) return OF_ONE_FILE.includes(error.code)
  return [AssetUnsigned, AssetIncomplete, AssetError, SealError].some((kind) => error instanceof kind)
}

const OF_ONE_FILE: readonly string[] = ['error.blob.not_found', 'error.blob.withheld', 'error.asset.not_found']

/** The share was deleted. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof ProblemError && error.code === 'error.share.not_found')) throw error
}
