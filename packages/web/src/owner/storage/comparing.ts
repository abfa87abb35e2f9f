/** Compares one copy with whatever is kept that it could be, by the client's strictest question. */
import { sourceOfBlob } from '@blindkeep/client/source'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { CatalogEntry } from './catalog.ts'
import { type Copy, candidatesFor, inOrder, worthSaying } from './compare.ts'
import type { ComparePorts, CompareState } from './compareRun.ts'
import { knownPins, rememberPins } from './knownPins.ts'
import { type DoubtKind, kindOfDoubts } from './outcomes.ts'
import type { Store } from './store.ts'

/** More files of one size are tried in the order of their age. */
const MAX_NAMES = 50

interface ComparingParts extends Pick<ComparePorts, 'owner' | 'baseUrl'> {
  /** Takes in names and how far it is. */
  readonly store: Store<CompareState>
}

interface Doubt {
  readonly kind: DoubtKind
  readonly keptAs: AssetId
  readonly cause: Error | undefined
}

/** What is to be said of the copy now. */
export type Comparing = (copy: Copy, entries: readonly CatalogEntry[], signal: AbortSignal) => Promise<Partial<Copy>>

export function createComparing({ owner, baseUrl, store }: ComparingParts): Comparing {
  /** Undefined for what cannot be read; then its name is no help. */
  async function nameOf({ assetId, facts }: CatalogEntry, signal: AbortSignal): Promise<string | undefined> {
    const known = store.get().keptNames.get(assetId)
    if (known !== undefined) return known
    const name = await owner.describeAsset(facts, { signal }).then(
      (description) => description.name,
      () => undefined,
    )
    if (name !== undefined) store.set({ keptNames: new Map(store.get().keptNames).set(assetId, name) })
    return name
  }

  async function candidates({ file }: Copy, entries: readonly CatalogEntry[], signal: AbortSignal) {
    const found = candidatesFor(file.size, entries)
    const names = new Map<AssetId, string | undefined>()
    for (const entry of found.slice(0, MAX_NAMES)) names.set(entry.assetId, await nameOf(entry, signal))
    return inOrder(found, { fileName: file.name, nameOf: (assetId) => names.get(assetId) })
  }

  return async (copy, entries, signal) => {
    const doubts: Doubt[] = []
    for (const { assetId } of await candidates(copy, entries, signal)) {
      const { pinned } = await knownPins(baseUrl)
      const answer = await owner.verifyBeforeDestroying({
        assetId,
        source: sourceOfBlob(copy.file),
        depth: 'deep',
        pinned,
        signal,
        onProgress: (progress) => store.set({ progress }),
      })
      // Asked to be deep, the client says yes to nothing less; this page promises it in words, so it looks once more.
      if (answer.safe && answer.examined === 'deep') {
        await rememberPins(answer.receipts.keys)
        return { kind: 'safe', keptAs: assetId, checkedAt: answer.checkedAt, cause: undefined }
      }
      const found = answer.safe ? [] : answer.doubts
      doubts.push({ kind: kindOfDoubts(found), keptAs: assetId, cause: found.find(({ cause }) => cause)?.cause })
    }
    return mostWorthSaying(doubts)
  }
}

function mostWorthSaying(doubts: readonly Doubt[]): Partial<Copy> {
  const kind = worthSaying(doubts.map((doubt) => doubt.kind))
  if (kind === undefined) return { kind: 'no_match' }
  const { keptAs, cause } = doubts.find((doubt) => doubt.kind === kind) ?? {}
  return { kind, cause, keptAs: kind === 'other_file' ? undefined : keptAs }
}
