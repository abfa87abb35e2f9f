/** The content of an asset's tile: its description and thumbnail, loaded when the tile comes into view. */
import { AssetError, AssetIncomplete, SealError } from '@blindkeep/client/errors'
import type { AssetFacts, Owner } from '@blindkeep/client/owner'
import { useEffect, useState } from 'preact/hooks'
import { createSharedLoads, type SharedLoads } from '../../common/work/sharedLoads.ts'
import { thumbnailTypeOf } from '../../preview/thumbnail.ts'
import { nameIndexOf } from '../find/nameIndex.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { factsKey, fileKey, type ShownAsset, showAsset } from './shownAsset.ts'
import { hasThumbnail } from './thumbnails.ts'
import { noteName } from './useFoundAssets.ts'

export interface TileContent {
  /** The facts that were given, with what was found for them; undefined when the asset can't be read. */
  readonly shown: ShownAsset | undefined
  /** Why the asset can't be read, when the asset itself is the reason. */
  readonly fault: unknown
  /** A `blob:` URL, valid while the tile uses it. */
  readonly pictureUrl: string | undefined
  /** Whether the asset has a picture, loaded or not. */
  readonly hasPicture: boolean
}

/** A tile's content, with the file that it was loaded for. */
interface LoadedTile {
  readonly file: string
  readonly content: TileContent
}

/** Browsers send no more requests to one server at the same time. */
const MAX_AT_ONCE = 6
/** Tiles that stay loaded out of view. Each has at most 64 KiB. */
const MAX_UNUSED = 400

/** A revocation by another client counts in a tile that comes into view after this time, as in `KnownDevices`. */
const MAX_AGE_MS = 60_000

const loads = new WeakMap<Owner, SharedLoads<TileContent>>()

function loadsOf(owner: Owner): SharedLoads<TileContent> {
  const known = loads.get(owner)
  if (known !== undefined) return known
  const created = createSharedLoads<TileContent>({
    maxAtOnce: MAX_AT_ONCE,
    maxUnused: MAX_UNUSED,
    maxAgeMs: MAX_AGE_MS,
    dispose: ({ pictureUrl }) => pictureUrl !== undefined && URL.revokeObjectURL(pictureUrl),
  })
  loads.set(owner, created)
  return created
}

/** Call it when a device was revoked: the tiles of its files then load again, and show that. */
export function forgetTiles(owner: Owner): void {
  loads.get(owner)?.forgetUnused()
}

/** A picture that was scrolled out of view stays loaded for this time. */
const LINGER_MS = 1000

/** Undefined until the content of these facts is loaded. Out of view, only the picture is removed. */
export function useTile(asset: AssetFacts, isInView: boolean): TileContent | undefined {
  const { owner, baseUrl } = useOwnerPages()
  const [loaded, setLoaded] = useState<LoadedTile>()
  const isWanted = useLinger(isInView, loaded === undefined ? 0 : LINGER_MS)
  const [key, file] = [factsKey(asset), fileKey(asset)]
  useEffect(() => {
    if (!isWanted) return setLoaded((last) => last && { ...last, content: { ...last.content, pictureUrl: undefined } })
    return loadsOf(owner).use(
      key,
      (signal) => loadTile(owner, asset, signal),
      // After a failure the tile loads again when it comes into view or changes.
      ({ value }) => {
        if (value === undefined) return
        setLoaded({ file, content: value })
        noteName(nameIndexOf(owner, baseUrl), asset, value.shown?.description)
      },
    )
  }, [owner, key, isWanted])
  return loaded?.file === file ? loaded.content : undefined
}

/** True while `isTrue` is, and `ms` longer. */
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
  const found = await show(owner, asset, signal)
  const isNamed = found.shown?.description !== undefined
  // A revoked device is allowed because the tile shows the badge: a thief of the device can replace the thumbnail of
  // every asset (decisions/thumbnails.md).
  const picture =
    isNamed && hasThumbnail(asset) ? await owner.readThumbnail(asset, { allowRevokedDevice: true, signal }) : undefined
  const pictureUrl = picture && pictureUrlOf(picture)
  return { ...found, pictureUrl, hasPicture: pictureUrl !== undefined }
}

/** Only the account key seals thumbnails. The type is checked still: they are decoded outside the sandbox. */
function pictureUrlOf(picture: Uint8Array<ArrayBuffer>): string | undefined {
  const type = thumbnailTypeOf(picture)
  return type && URL.createObjectURL(new Blob([picture], { type }))
}

async function show(
  owner: Owner,
  asset: AssetFacts,
  signal: AbortSignal,
): Promise<Pick<TileContent, 'shown' | 'fault'>> {
  try {
    return { shown: await showAsset(owner, asset, signal), fault: undefined }
  } catch (fault) {
    const isOfAsset = fault instanceof AssetError || fault instanceof AssetIncomplete || fault instanceof SealError
    if (!isOfAsset) throw fault
    return { shown: undefined, fault }
  }
}
