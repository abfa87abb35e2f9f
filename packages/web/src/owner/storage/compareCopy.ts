/** Compares one local copy with the stored files that it may match, with the strictest check of the client. */
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import { sourceOfBlob } from '@blindkeep/client/source'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { AssetFeed } from '../assets/assetFeed.ts'
import type { CatalogEntry } from './catalog.ts'
import { type CompareState, candidatesFor, inOrder, type LocalCopy, mainDoubt } from './compare.ts'
import { knownPins, rememberPins } from './knownPins.ts'
import { type DoubtKind, kindOfDoubts } from './outcomes.ts'
import type { RunState } from './runState.ts'

/** Names are read for at most this many files of one size; the others are tried by age. */
const MAX_NAMES = 50

export interface ComparePorts {
  readonly owner: Pick<Owner, 'describeAsset' | 'verifyBeforeDestroying'>
  readonly baseUrl: string
  /** All stored files, with every change until now. */
  readonly feed: Pick<AssetFeed, 'refresh'>
}

interface CompareCopyOptions extends Pick<ComparePorts, 'owner' | 'baseUrl'> {
  /** Receives names and progress. */
  readonly state: RunState<CompareState>
}

interface Doubt {
  readonly kind: DoubtKind
  readonly kept: AssetFacts
  readonly cause: Error | undefined
}

/** Resolves with the changed members of the copy. */
type CompareCopy = (
  copy: LocalCopy,
  entries: readonly CatalogEntry[],
  signal: AbortSignal,
) => Promise<Partial<LocalCopy>>

export function createCompareCopy({ owner, baseUrl, state }: CompareCopyOptions): CompareCopy {
  /** Undefined when the name can't be read. */
  async function nameOf({ assetId, facts }: CatalogEntry, signal: AbortSignal): Promise<string | undefined> {
    const known = state.get().keptNames.get(assetId)
    if (known !== undefined) return known
    const name = await owner.describeAsset(facts, { allowRevokedDevice: true, signal }).then(
      (description) => description.name,
      () => undefined,
    )
    if (name !== undefined) state.set({ keptNames: new Map(state.get().keptNames).set(assetId, name) })
    return name
  }

  async function candidates({ file }: LocalCopy, entries: readonly CatalogEntry[], signal: AbortSignal) {
    const found = candidatesFor(file.size, entries)
    const names = new Map<AssetId, string | undefined>()
    for (const entry of found.slice(0, MAX_NAMES)) names.set(entry.assetId, await nameOf(entry, signal))
    return inOrder(found, { fileName: file.name, nameOf: (assetId) => names.get(assetId) })
  }

  return async (copy, entries, signal) => {
    // A browser reads no byte of a file whose disk states none, whatever is in it.
    if (copy.file.size === 0) return { kind: 'file_empty' }
    const doubts: Doubt[] = []
    for (const { assetId, facts } of await candidates(copy, entries, signal)) {
      const { pinned } = await knownPins(baseUrl)
      const answer = await owner.verifyBeforeDestroying({
        assetId,
        source: sourceOfBlob(copy.file),
        depth: 'deep',
        pinned,
        signal,
        onProgress: (progress) => state.set({ progress }),
      })
      // The client confirms only a deep check here. This page promises a deep check, so it verifies that again.
      if (answer.safe && answer.examined === 'deep') {
        await rememberPins(answer.receipts.keys)
        return { kind: 'safe', kept: facts, checkedAt: answer.checkedAt, cause: undefined }
      }
      const found = answer.safe ? [] : answer.doubts
      doubts.push({ kind: kindOfDoubts(found), kept: facts, cause: found.find(({ cause }) => cause)?.cause })
    }
    return resultOf(doubts)
  }
}

function resultOf(doubts: readonly Doubt[]): Partial<LocalCopy> {
  const kind = mainDoubt(doubts.map((doubt) => doubt.kind))
  if (kind === undefined) return { kind: 'no_match' }
  const { kept, cause } = doubts.find((doubt) => doubt.kind === kind) ?? {}
  return { kind, cause, kept: kind === 'other_file' ? undefined : kept }
}
