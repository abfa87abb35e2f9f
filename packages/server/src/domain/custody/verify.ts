/**
 * Answers whether the server really holds these blobs. Clients delete their own files because of this answer, so the
 * answer is no in case of doubt. A pure read (specification, Storage verification, rule 1): its ports cannot write.
 * Only a suspicion of damage is noted.
 */
import type { AccountId, AssetId } from '@blindkeep/protocol/ids'
import type { GiveUpAfter } from '../../ground/pause.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Seats } from '../../ports/seats.ts'
import type { HeldBlob, Store } from '../../ports/store.ts'
import type { Spender } from '../ground/sessionShare.ts'
import { createDeepScans, type ScanObject } from './deepScans.ts'
import { seemsOfObject } from './unreadable.ts'
import {
  type AskedBlob,
  type AssetVerdict,
  askedOf,
  confirmed,
  deeply,
  isWithheld,
  type ObservedAsset,
  observed,
  type Seen,
  structurally,
  type VerifyQuestion,
  verdictOf,
} from './verdicts.ts'

export interface VerifySettings {
  readonly deepBytesPerHour: number
}

interface VerifyPorts {
  readonly store: Pick<Store, 'read'>
  readonly objects: Pick<Objects, 'size' | 'digest' | 'check'>
  readonly clock: Clock
  readonly limiter: Limiter
  readonly seats: Seats
  readonly giveUpAfter: GiveUpAfter
  /** Called for a kept object with wrong, missing or unreadable bytes, which is then withheld. Never rejects. */
  readonly reportDamage: (location: string) => Promise<void>
}

export interface VerifyRequest extends Spender {
  readonly questions: readonly VerifyQuestion[]
  readonly deep: boolean
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal
}

/**
 * Files that one request looks at in parallel: enough to keep the threads busy, few enough to let other requests in
 * between. The next ones wait until all of them are done: given together they wake the threads once, one after the
 * other each of them does, which costs more than the look.
 */
const PARALLEL_LOOKS = 32

export type Verify = ReturnType<typeof createVerify>

export function createVerify(
  { store, objects, clock, limiter, seats, giveUpAfter, reportDamage }: VerifyPorts,
  settings: VerifySettings,
) {
  const scans = createDeepScans({ objects, limiter, seats, giveUpAfter, reportDamage }, settings)

  /** All rows in one snapshot. The files are looked at afterwards, outside the transaction. */
  async function rowsOf({ accountId, questions }: VerifyRequest): Promise<ReadonlyMap<AssetId, readonly HeldBlob[]>> {
    const assetIds = [...new Set(questions.map(({ assetId }) => assetId))]
    return store.read(async (tx) => {
      const rows = await Promise.all(assetIds.map((assetId) => tx.assets.liveBlobsOf(accountId, assetId)))
      return new Map(assetIds.map((assetId, at) => [assetId, rows[at] ?? []]))
    })
  }

  async function observe(request: VerifyRequest): Promise<readonly ObservedAsset[]> {
    // Before the snapshot: an object released after it gets its mark after this instant, and its bytes stay for the
    // window from the mark.
    const askedAt = clock.now()
    const rows = await rowsOf(request)
    const assets = request.questions.map((question) => askedOf(question, rows.get(question.assetId) ?? []))
    const held = objectsOf(assets)
    const sizes = await sizesOf(objects, new Set(held.map(({ location }) => location)))
    await Promise.all([...lostAmong(held, sizes)].map(reportDamage))
    return assets.map((asset) => observed(asset, { sizes, askedAt }))
  }

  /** Reading takes minutes, in which asset or objects may disappear: the rows are read once more. */
  async function examine(asset: ObservedAsset, accountId: AccountId, scan: ScanObject) {
    const found = []
    for (const blob of asset.blobs) found.push(await deeply(blob, scan))
    const isUnreadable = found.some(({ outcome }) => outcome === 'unreadable')
    const isScanned = found.some(({ outcome }) => outcome !== undefined && outcome !== 'rate_limited')
    if (!isScanned) return { verdict: verdictOf(asset, found), isUnreadable }
    // As in `observe`: before the snapshot that counts now.
    const askedAt = clock.now()
    const { assetId } = asset
    const present = await store.read((tx) => tx.assets.liveBlobsOf(accountId, assetId))
    const verdict = verdictOf(
      { assetId, askedAt },
      found.map((each) => confirmed(each, present)),
    )
    return { verdict, isUnreadable }
  }

  async function examineEach(assets: readonly ObservedAsset[], { accountId, sessionId, signal }: VerifyRequest) {
    return scans.inTurn({ accountId, sessionId, signal }, async (scan) => {
      const examined = []
      for (const asset of assets) examined.push(await examine(asset, accountId, scan))
      return examined
    })
  }

  /**
   * One verdict for each question and one entry for each hash, in the order asked (specification, Storage verification,
   * rule 2). Throws `StorageUnavailable` when the database or the whole blob store does not answer, and the signal's
   * reason when it stopped a deep scan.
   */
  return async function verify(request: VerifyRequest): Promise<readonly AssetVerdict[]> {
    const assets = await observe(request)
    const held = objectsOf(assets)
    const isDeep = request.deep && held.some(({ stored }) => stored)
    const examined = isDeep ? await examineEach(assets, request) : undefined
    const isInDoubt = held.some(({ isPresent }) => !isPresent) || examined?.some(({ isUnreadable }) => isUnreadable)
    // A missing object may be lost, or its whole disk may be away. Then there is no verdict, and `check` throws.
    if (isInDoubt === true) await objects.check()
    if (examined !== undefined) return examined.map(({ verdict }) => verdict)
    return assets.map((asset) => verdictOf(asset, asset.blobs.map(structurally)))
  }
}

/** Looks once at each object, for all questions. Absent: the look failed. */
async function sizesOf(
  objects: Pick<Objects, 'size' | 'check'>,
  locations: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Seen>> {
  const sizes = new Map<string, Seen>()
  /** Returns the errors of looks that failed. */
  const lookAtEach = async (all: readonly string[]) => {
    const failed = new Map<string, unknown>()
    const look = (location: string) =>
      objects.size(location).then(
        (size) => void sizes.set(location, size),
        (error: unknown) => void failed.set(location, error),
      )
    for (let start = 0; start < all.length; start += PARALLEL_LOOKS)
      await Promise.all(all.slice(start, start + PARALLEL_LOOKS).map(look))
    return failed
  }
  const failed = await lookAtEach([...locations])
  if (failed.size === 0) return sizes
  // The store may have been away and be back. An object at which the second look fails, too, is a no.
  await objects.check()
  const unreadable = [...(await lookAtEach([...failed.keys()]))].filter(([, error]) => seemsOfObject(error))
  if (unreadable.length > 0) await objects.check()
  for (const [location] of unreadable) sizes.set(location, 'unreadable')
  return sizes
}

function lostAmong(held: readonly HeldBlob[], sizes: ReadonlyMap<string, Seen>): ReadonlySet<string> {
  const isLost = ({ location, size }: HeldBlob) => sizes.has(location) && sizes.get(location) !== size
  return new Set(held.filter((each) => isLost(each) && !isWithheld(each)).map(({ location }) => location))
}

function objectsOf<Held extends HeldBlob>(
  assets: readonly { readonly blobs: readonly AskedBlob<Held>[] }[],
): readonly Held[] {
  return assets.flatMap(({ blobs }) => blobs.flatMap(({ objects }) => objects))
}
