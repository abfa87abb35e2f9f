/** Links that have refused guests' files: each page shows a mark for them until their owner has dismissed it. */
import type { LiveEvent, OwnLink } from '@blindkeep/client/owner'

export function refusedIn(links: readonly Pick<OwnLink, 'refused'>[]): number {
  return links.filter(({ refused }) => refused !== undefined).length
}

/** Links change with each file that lands, and are many: they are listed again only if the mark may come or go. */
export function mayChangeMark(event: LiveEvent['name'], isMarked: boolean): boolean {
  return event === 'reset' || event === 'drop.refused' || (event === 'link.changed' && isMarked)
}
