/** What a tile shows of an asset: its name and its small picture, loaded when it comes into view. */
import { AssetError, AssetIncomplete, SealError } from '@blindkeep/client/errors'
import type { AssetDescription, AssetFacts, Owner } from '@blindkeep/client/owner'
import { useEffect, useState } from 'preact/hooks'
import { thumbnailTypeOf } from '../../common/thumbnail.ts'
import { useOwnerPages } from '../context.ts'
import { createHeldLoads, type HeldLoads } from './heldLoads.ts'
import { hasThumbnail } from './pictures.ts'

export interface TileContent {
  readonly description: AssetDescription | undefined
  /** Why there is no description, where the asset itself is at fault. */
  readonly fault: unknown
  /** `blob:`, as long as the tile holds it. */
  readonly pictureUrl: string | undefined
  /** Whether there is a picture, at hand or not. */
  readonly hasPicture: boolean
}

/** What a browser sends to one server at the same time anyway. */
const AT_ONCE = 6
/** 64 KiB at most, each. */
const MAX_KEPT = 400

const loads = new WeakMap<Owner, HeldLoads<TileContent>>()

function loadsOf(owner: Owner): HeldLoads<TileContent> {
  const known = loads.get(owner)
  if (known !== undefined) return known
  const made = createHeldLoads<TileContent>({
    atOnce: AT_ONCE,
    keptMost: MAX_KEPT,
    drop: ({ pictureUrl }) => pictureUrl !== undefined && URL.revokeObjectURL(pictureUrl),
  })
  loads.set(owner, made)
  return made
}

/** How long a picture that was scrolled away is held for who scrolls back. */
const LINGER_MS = 1000

/** Undefined until it is there. What was there stays while a change is loaded, and all but the picture when it is out of view. */
export function useTile(asset: AssetFacts, isInView: boolean): TileContent | undefined {
  const { owner } = useOwnerPages()
  const [content, setContent] = useState<TileContent>()
  const isWanted = useLinger(isInView, content === undefined ? 0 : LINGER_MS)
  const key = `${asset.assetId} ${asset.changedAt} ${asset.blobs.length}`
  useEffect(() => {
    if (!isWanted) return setContent((last) => last && { ...last, pictureUrl: undefined })
    return loadsOf(owner).hold(
      key,
      (signal) => loadTile(owner, asset, signal),
      // What the line has broken comes when the tile is looked at again, or changes.
      ({ value }) => value !== undefined && setContent(value),
    )
  }, [owner, key, isWanted])
  return content
}

/** True as long as it is said, and so much longer. */
function useLinger(isTrue: boolean, ms: number): boolean {
  const [isLingering, setLingering] = useState(isTrue)
  useEffect(() => {
    if (isTrue) return setLingering(true)
    const timer = setTimeout(() => setLingering(false), ms)
    return () => clearTimeout(timer)
  }, [isTrue])
  return isTrue || isLingering
}

async function loadTile(owner: Owner, asset: AssetFacts, signal: AbortSignal): Promise<TileContent> {
  const [described, picture] = await Promise.all([
    describe(owner, asset, signal),
    hasThumbnail(asset) ? owner.readThumbnail(asset, { signal }) : undefined,
  ])
  const pictureUrl = picture && pictureUrlOf(picture)
  return { ...described, pictureUrl, hasPicture: pictureUrl !== undefined }
}

/** Only who has the account key can have sealed it; whether it is a thumbnail is looked at all the same, as it is decoded out here. */
function pictureUrlOf(picture: Uint8Array<ArrayBuffer>): string | undefined {
  const type = thumbnailTypeOf(picture)
  return type && URL.createObjectURL(new Blob([picture], { type }))
}

async function describe(
  owner: Owner,
  asset: AssetFacts,
  signal: AbortSignal,
): Promise<Pick<TileContent, 'description' | 'fault'>> {
  try {
    return { description: await owner.describeAsset(asset, { signal }), fault: undefined }
  } catch (fault) {
    const isOfAsset = fault instanceof AssetError || fault instanceof AssetIncomplete || fault instanceof SealError
    if (!isOfAsset) throw fault
    return { description: undefined, fault }
  }
}
