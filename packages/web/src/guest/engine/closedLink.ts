/** Handles files that wait for a link that accepts no more files. */
import type { LinkStatus } from '../messages.ts'
import type { Entries } from './entries.ts'
import { become } from './phases.ts'

/** The server answered with a key that is not the link's: nothing may be sent to it. */
export function isKeySwapped(link: LinkStatus): boolean {
  return link.is === 'refused' && link.fault === 'key_swapped'
}

export function isClosed(link: LinkStatus): boolean {
  return link.is === 'refused' && link.fault === 'closed'
}

/** Fails the files that can no longer be sent. A file that has a session continues, unless the key was swapped. */
export function failHopeless(entries: Entries, link: LinkStatus, pause: (id: string) => void): void {
  if (link.is !== 'refused' || link.isRetrying || link.fault === 'given_up') return
  const isSwapped = isKeySwapped(link)
  const failure = isSwapped ? 'key_swapped' : 'link_closed'
  for (const { id, phase, state } of entries.all()) {
    if (isSwapped && (phase === 'preparing' || phase === 'sending')) pause(id)
    const isWaiting = phase === 'waiting' || phase === 'paused'
    const isHopeless = isWaiting && (state?.uploadId === undefined || isSwapped)
    if (isHopeless || phase === 'chosen' || phase === 'unfit') entries.change(id, become.failed(failure))
  }
}
