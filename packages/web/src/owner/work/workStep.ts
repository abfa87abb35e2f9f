/** One step of work. Repeated, it asks the server what is so, and does the rest. */
import type { Device } from '@blindkeep/client/device'
import { AssetMoveError, ProblemError, SendError } from '@blindkeep/client/errors'
import { type AssetMoveState, type Owner, parseAssetMoveState } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { ProblemCode } from '@blindkeep/protocol/problems'
import { makeThumbnailOf } from '../assets/thumbnails.ts'
import type { WorkItem } from './workOrder.ts'
import type { WorkPorts } from './workRunner.ts'
import type { WorkStore } from './workStore.ts'

interface StepParts {
  readonly owner: Owner
  readonly device: () => Promise<Device>
  readonly store: Pick<WorkStore, 'markBegun' | 'note' | 'noted'>
}

type How = Parameters<WorkPorts['step']>[1]

/** What another tab, device or call has done already, or has made needless. */
const ALREADY: Readonly<Partial<Record<WorkItem['do'], ProblemCode>>> = {
  keep: 'error.drop.not_found',
  discard: 'error.drop.not_found',
  delete: 'error.asset.not_found',
  move: 'error.asset.not_found',
  thumbnail: 'error.asset.not_found',
  delete_album: 'error.album.not_available',
}

export function createWorkStep(parts: StepParts): WorkPorts['step'] {
  return async (item, how) => {
    try {
      if (how.isStopped && item.do === 'keep' && !(await isAdopted(parts.owner, item.assetId))) return 'stopped'
      if (item.do === 'thumbnail')
        return (await makeThumbnailOf(parts.owner, item.assetId, how.signal)) ? 'done' : 'already'
      await doItem(parts, item, how)
      return 'done'
    } catch (error) {
      if (error instanceof ProblemError && error.code === ALREADY[item.do]) return 'already'
      throw error
    }
  }
}

async function isAdopted(owner: Pick<Owner, 'asset'>, assetId: AssetId): Promise<boolean> {
  try {
    await owner.asset(assetId)
    return true
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'error.asset.not_found') return false
    throw error
  }
}

async function doItem(parts: StepParts, item: Exclude<WorkItem, { do: 'thumbnail' }>, how: How): Promise<void> {
  const { owner, device, store } = parts
  switch (item.do) {
    case 'keep': {
      const { drop, albumId: album, assetId, retainUntil } = item
      const { isFirstTry } = how
      const signer = await device()
      if (isFirstTry) await store.markBegun(item.id)
      await owner.adoptDrop(drop, { album, assetId, retainUntil, isFirstTry, device: signer })
      return
    }
    case 'restore':
      return await owner.restore(item.id)
    case 'end':
      return await owner.endBinEntry(item.id)
    case 'save':
      return await item.save(how)
    case 'move':
      return await move(parts, item, how)
    case 'discard':
      return await owner.discardDrop(item.id)
    case 'delete':
      return await owner.deleteAsset(item.id)
    case 'delete_album':
      return await owner.deleteAlbum(item.id)
  }
}

/** What has arrived of the copy is not sent again, also by the next page. */
async function move(
  { owner, device, store }: StepParts,
  { id: assetId, albumId: album }: WorkItem & { readonly do: 'move' },
  { signal, onShare }: How,
): Promise<void> {
  try {
    await owner.moveAsset({
      ...{ assetId, album, signal, device: await device(), state: moveStateIn(await store.noted(assetId)) },
      onState: (state) => store.note(assetId, state),
      // Each byte is read, and then sent.
      onProgress: ({ phase, bytes, of }) =>
        onShare(((phase === 'preparing' ? 0 : 1) + (of === 0 ? 1 : bytes / of)) / 2),
    })
  } catch (error) {
    const isOver = error instanceof SendError && error.remedy === 'prepare_again'
    if (isOver || (error instanceof AssetMoveError && error.reason === 'changed')) await store.note(assetId, undefined)
    throw error
  }
}

/** Of another release it may be none: then the file is copied again. */
function moveStateIn(noted: unknown): AssetMoveState | undefined {
  try {
    return parseAssetMoveState(noted)
  } catch {
    return undefined
  }
}
