/** Files of the inbox as pieces of work. */
import type { Album, Owner } from '@blindkeep/client/owner'
import type { InboxText } from '../ground/texts.ts'
import type { WorkItem, WorkOrder } from '../work/workOrder.ts'
import type { ListedDrop } from './dropList.ts'
import { plainNameOf } from './dropTexts.ts'

interface Keeping {
  readonly owner: Pick<Owner, 'newAssetId'>
  readonly album: Pick<Album, 'albumId' | 'name'>
  readonly retainUntil: string | undefined
  readonly text: InboxText
}

/** Only opened files: what the owner could not see is never signed. */
export function keepOrder(drops: readonly ListedDrop[], { owner, album, retainUntil, text }: Keeping): WorkOrder {
  const { albumId, name } = album
  const items = drops.flatMap((drop): readonly WorkItem[] => {
    if (drop.file === undefined) return []
    const ids = { id: drop.dropId, albumId, assetId: owner.newAssetId() }
    return [{ do: 'keep', ...ids, retainUntil, name: plainNameOf(drop, text), drop: { ...drop, file: drop.file } }]
  })
  return { kind: 'keep', album: { albumId, name }, items }
}

export function discardOrder(drops: readonly ListedDrop[], text: InboxText): WorkOrder {
  const items = drops.map((drop) => ({ do: 'discard' as const, id: drop.dropId, name: plainNameOf(drop, text) }))
  return { kind: 'discard', items }
}
