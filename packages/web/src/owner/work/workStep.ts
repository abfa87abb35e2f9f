/** One step of work. Repeated, it asks the server what is so, and does the rest. */
import type { Device } from '@blindkeep/client/device'
import { ProblemError } from '@blindkeep/client/errors'
import type { Owner } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { ProblemCode } from '@blindkeep/protocol/problems'
import type { WorkItem } from './workOrder.ts'
import type { WorkPorts } from './workRunner.ts'
import type { WorkStore } from './workStore.ts'

interface StepParts {
  readonly owner: Pick<Owner, 'asset' | 'adoptDrop' | 'discardDrop' | 'deleteAsset' | 'deleteAlbum'>
  readonly device: () => Promise<Device>
  readonly store: Pick<WorkStore, 'markBegun'>
}

/** What another tab, device or call has done already. */
const ALREADY: Readonly<Record<WorkItem['do'], ProblemCode>> = {
  keep: 'error.drop.not_found',
  discard: 'error.drop.not_found',
  delete: 'error.asset.not_found',
  delete_album: 'error.album.not_available',
}

export function createWorkStep(parts: StepParts): WorkPorts['step'] {
  return async (item, { isFirstTry, isStopped }) => {
    try {
      if (isStopped && item.do === 'keep' && !(await isAdopted(parts.owner, item.assetId))) return 'stopped'
      await doItem(parts, item, isFirstTry)
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

async function doItem({ owner, device, store }: StepParts, item: WorkItem, isFirstTry: boolean): Promise<void> {
  switch (item.do) {
    case 'keep': {
      const { drop, albumId: album, assetId } = item
      const signer = await device()
      if (isFirstTry) await store.markBegun(item.id)
      await owner.adoptDrop(drop, { album, assetId, isFirstTry, device: signer })
      return
    }
    case 'discard':
      return await owner.discardDrop(item.id)
    case 'delete':
      return await owner.deleteAsset(item.id)
    case 'delete_album':
      return await owner.deleteAlbum(item.id)
  }
}
