/** Which kept files are shown: those that match what is looked for, in the wanted order. */
import type { Findable } from '@blindkeep/client/find'
import { keyOfAsset } from '@blindkeep/client/findIndex'
import type { AssetDescription, AssetFacts } from '@blindkeep/client/owner'
import { useMemo } from 'preact/hooks'
import { type FindState, needsNames } from '../find/findState.ts'
import { foundIn } from '../find/found.ts'
import type { NameIndex } from '../find/nameIndex.ts'
import { useNames } from '../find/useNames.ts'
import { type Reading, useReading } from '../find/useReading.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { showAsset } from './shownAsset.ts'

interface FindAssets {
  /** The newest first. */
  readonly assets: readonly AssetFacts[]
  readonly state: FindState
}

interface FoundAssets {
  readonly shown: readonly AssetFacts[]
  readonly reading: Reading
}

export function useFoundAssets({ assets, state }: FindAssets): FoundAssets {
  const { owner } = useOwnerPages()
  const { names, isLoaded } = useNames()
  const reading = useReading({
    items: assets,
    isKnown: (asset) => isNameless(asset) || nameIn(names, asset) !== undefined,
    read: async (asset, signal) => noteName(names, asset, (await showAsset(owner, asset, signal)).description),
    isWanted: isLoaded && needsNames(state),
  })
  const shown = useMemo(() => {
    const findable = (asset: AssetFacts): Findable => {
      const file = nameIn(names, asset)
      return { file, size: asset.envelope.plaintext_size, at: asset.createdAt }
    }
    return foundIn(assets, state, findable)
  }, [assets, JSON.stringify(state), names, isLoaded, reading.left])
  return { shown, reading }
}

/** An upload that was interrupted has no name yet. */
const isNameless = (asset: AssetFacts) => keyOfAsset(asset) === undefined

export function nameIn(names: NameIndex, asset: AssetFacts) {
  const key = keyOfAsset(asset)
  return key === undefined ? undefined : names.get(key)
}

/** Only what a device of the account has signed has a description. */
export function noteName(names: NameIndex, asset: AssetFacts, description: AssetDescription | undefined): void {
  const key = keyOfAsset(asset)
  if (key !== undefined && description !== undefined) names.note(key, description)
}
