import type { AccountId, AssetId } from '@blindkeep/protocol/ids'
import type { Blobs } from '../../ports/blobs.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { HeldBlob, Store } from '../../ports/store.ts'
import { createDeepScans, type ScanObject } from './deepScans.ts'
import type { GiveUpAfter } from './scanTurns.ts'
import {
  type AssetVerdict,
  confirmed,
  declaredOf,
  deeply,
  type SeenAsset,
  seenAs,
  structurally,
  type VerifyQuestion,
  verdictOf,
} from './verdicts.ts'

/**
 * Does the server really hold these blobs? Clients remove their own copies on this word, so every doubt is a no.
 * A pure read (specification, Storage verification, rule 1): neither the store nor the blobs give it anything to write with.
 */
export interface VerifySettings {
  readonly deepBytesPerHour: number
}

interface VerifyPorts {
  readonly store: Pick<Store, 'read'>
  readonly blobs: Pick<Blobs, 'size' | 'digest' | 'freeBytes'>
  readonly clock: Clock
  readonly limiter: Limiter
  readonly giveUpAfter: GiveUpAfter
  /** CappedList of a kept object whose bytes are wrong; takes note in memory alone. */
  readonly suspect: (location: string) => void
}

interface VerifyRequest {
  readonly accountId: AccountId
  readonly questions: readonly VerifyQuestion[]
  readonly deep: boolean
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** Files that one request looks at at the same time: so many that threads need not be woken for each, so few that other requests come in between. */
const LOOKS_AT_ONCE = 32

export type Verify = ReturnType<typeof createVerify>

export function createVerify(
  { store, blobs, clock, limiter, giveUpAfter, suspect }: VerifyPorts,
  settings: VerifySettings,
) {
  const scans = createDeepScans({ blobs, limiter, giveUpAfter, suspect }, settings)

  /** All of one snapshot; the files are looked at when it is over. */
  async function rowsOf({ accountId, questions }: VerifyRequest): Promise<ReadonlyMap<AssetId, readonly HeldBlob[]>> {
    const assetIds = new Set(questions.map(({ assetId }) => assetId))
    return store.read(async (tx) => {
      const rows = new Map<AssetId, readonly HeldBlob[]>()
      for (const assetId of assetIds) rows.set(assetId, await tx.assets.liveBlobsOf(accountId, assetId))
      return rows
    })
  }

  async function look(location: string): Promise<[string, number | undefined]> {
    // Whatever goes wrong with one object is a no to that one; whether it is more than one is asked of the whole store in the end.
    return [location, await blobs.size(location).catch(() => undefined)]
  }

  /** Looks at each object once, however often it was asked for. */
  async function sizesOf(locations: ReadonlySet<string>): Promise<ReadonlyMap<string, number | undefined>> {
    const all = [...locations]
    const sizes: [string, number | undefined][] = []
    for (let at = 0; at < all.length; at += LOOKS_AT_ONCE)
      sizes.push(...(await Promise.all(all.slice(at, at + LOOKS_AT_ONCE).map(look))))
    return new Map(sizes)
  }

  async function see(request: VerifyRequest): Promise<readonly SeenAsset[]> {
    // Before the snapshot: the collector marks what is let go of after it later than this, and the bytes stay for its window from the mark.
    const askedAt = clock.now()
    const rows = await rowsOf(request)
    const assets = request.questions.map((question) => declaredOf(question, rows.get(question.assetId) ?? []))
    const sizes = await sizesOf(new Set(objectsOf(assets).map(({ location }) => location)))
    return assets.map((asset) => seenAs(asset, { sizes, askedAt }))
  }

  /** Reads the bytes again. That may take minutes, in which the asset may go or the collector come: its rows are asked for once more. */
  async function examine(asset: SeenAsset, accountId: AccountId, scan: ScanObject) {
    const found = []
    for (const blob of asset.blobs) found.push(await deeply(blob, scan))
    const isUnreadable = found.some(({ outcome }) => outcome === 'unreadable')
    const isScanned = found.some(({ outcome }) => outcome !== undefined && outcome !== 'rate_limited')
    if (!isScanned) return { verdict: verdictOf(asset, found), isUnreadable }
    // As in `see`, before the snapshot that counts now.
    const askedAt = clock.now()
    const { assetId } = asset
    const present = await store.read((tx) => tx.assets.liveBlobsOf(accountId, assetId))
    const verdict = verdictOf(
      { assetId, askedAt },
      found.map((each) => confirmed(each, present)),
    )
    return { verdict, isUnreadable }
  }

  async function examineEach(assets: readonly SeenAsset[], { accountId, signal }: VerifyRequest) {
    return scans.inTurn({ accountId, signal }, async (scan) => {
      const examined = []
      for (const asset of assets) examined.push(await examine(asset, accountId, scan))
      return examined
    })
  }

  /**
   * One verdict for each question and one entry for each hash, in the order asked (specification, Storage verification, rule 2).
   * Throws `StorageUnavailable` when the database or the whole blob store does not answer, and the signal's reason when that stopped a deep scan.
   */
  return async function verify(request: VerifyRequest): Promise<readonly AssetVerdict[]> {
    const assets = await see(request)
    const objects = objectsOf(assets)
    const isDeep = request.deep && objects.some(({ stored }) => stored)
    const examined = isDeep ? await examineEach(assets, request) : undefined
    const isInDoubt = objects.some(({ isThere }) => !isThere) || examined?.some(({ isUnreadable }) => isUnreadable)
    // An object that is not there may be lost, or its whole disk gone: that would be no verdict, so the store itself has to answer.
    if (isInDoubt === true) await blobs.freeBytes()
    if (examined !== undefined) return examined.map(({ verdict }) => verdict)
    return assets.map((asset) => verdictOf(asset, asset.blobs.map(structurally)))
  }
}

function objectsOf<StoredObject>(
  assets: readonly { readonly blobs: readonly { readonly objects: readonly StoredObject[] }[] }[],
): readonly StoredObject[] {
  return assets.flatMap(({ blobs }) => blobs.flatMap(({ objects }) => objects))
}
