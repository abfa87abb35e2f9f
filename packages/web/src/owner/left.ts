/** What goes on beside the pages belongs to whoever is signed in, and ends when the tab is theirs no more: signed out, over, or given to another tab. */
import type { Owner } from '@blindkeep/client/owner'

const endings = new WeakMap<Owner, (() => void)[]>()

export function whenLeft(owner: Owner, end: () => void): void {
  endings.set(owner, [...(endings.get(owner) ?? []), end])
}

export function leave(owner: Owner): void {
  for (const end of endings.get(owner) ?? []) end()
  endings.delete(owner)
}
