/** Handles files that wait for a link that accepts no more files. */
import type { LinkStatus } from '../../ground/messages.ts'
import type { Entries } from '../entries/entries.ts'
import { endOf } from '../entries/failures.ts'
import { become } from '../entries/phases.ts'

/** Nothing can be sent any more, whatever has been begun. */
export function isOver(link: LinkStatus): boolean {
  return link.is === 'refused' && endOf(link.fault) !== undefined
}

export function isClosed(link: LinkStatus): boolean {
  return link.is === 'refused' && link.fault === 'closed'
}

/** Fails the files that can no longer be sent. A file that has a session continues, unless all is over. */
export function failHopeless(entries: Entries, link: LinkStatus, pause: (id: string) => void): void {
  if (link.is !== 'refused' || link.isRetrying || link.fault === 'given_up') return
  const isAll = isOver(link)
  const failure = endOf(link.fault) ?? 'link_closed'
  for (const { id, phase, state } of entries.all()) {
    if (isAll && (phase === 'preparing' || phase === 'sending')) pause(id)
    const isWaiting = phase === 'waiting' || phase === 'paused'
    const isHopeless = isWaiting && (state?.uploadId === undefined || isAll)
    if (isHopeless || phase === 'chosen' || phase === 'unfit') entries.change(id, become.failed(failure))
  }
}
