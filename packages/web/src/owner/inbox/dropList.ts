import { type DropFacts, type InboxItem, isSameDrop } from '@blindkeep/client/owner'
import type { DropId } from '@blindkeep/protocol/ids'

/** Without file and fault until its name is read. */
export type ListedDrop = InboxItem | (DropFacts & { readonly file?: undefined; readonly fault?: undefined })

export function isUnread({ file, fault }: ListedDrop): boolean {
  return file === undefined && fault === undefined
}

/** The drops that the page knows, newest first. Pages of the inbox and events about it may overtake each other. */
export interface DropList {
  all(): readonly ListedDrop[]
  ids(): readonly DropId[]
  isMissing(dropId: DropId): boolean
  /** Call it before the inbox is asked: an answer to come does not list what has left before. */
  beginListing(): void
  /** Older drops. Names that were read stay; what left since `beginListing` stays away. */
  add(page: readonly DropFacts[]): void
  /** The same for drops that are newer than the others, oldest first. */
  addNew(page: readonly DropFacts[]): void
  /** These are all, in this order. */
  keepOnly(listed: readonly DropId[]): void
  remove(dropId: DropId): void
  show(item: InboxItem): void
}

export function createDropList(): DropList {
  let drops = new Map<DropId, ListedDrop>()
  const removed = new Set<DropId>()

  function add(page: readonly DropFacts[]): void {
    for (const drop of page)
      if (!removed.has(drop.dropId)) drops.set(drop.dropId, withName(drops.get(drop.dropId), drop))
  }

  return {
    all: () => [...drops.values()],
    ids: () => [...drops.keys()],
    isMissing: (dropId) => !drops.has(dropId) && !removed.has(dropId),
    beginListing: () => removed.clear(),
    add,
    addNew(page) {
      const older = drops
      drops = new Map()
      add(page.toReversed())
      for (const [dropId, drop] of older) drops.set(dropId, drop)
    },
    keepOnly(listed) {
      const all = drops
      drops = new Map()
      for (const dropId of listed) {
        const drop = all.get(dropId)
        if (drop !== undefined) drops.set(dropId, drop)
      }
    },
    remove(dropId) {
      removed.add(dropId)
      drops.delete(dropId)
    },
    show(item) {
      const listed = drops.get(item.dropId)
      if (listed !== undefined && isSameDrop(listed, item))
        drops.set(item.dropId, { ...item, adopting: listed.adopting, withheld: listed.withheld })
    },
  }
}

/** A fault may be over, so the name is read again. */
function withName(before: ListedDrop | undefined, drop: DropFacts): ListedDrop {
  if (before === undefined || before.fault !== undefined || !isSameDrop(before, drop)) return drop
  const { adopting, withheld } = drop
  return before.adopting === adopting && before.withheld === withheld ? before : { ...before, adopting, withheld }
}
