/** Work without a page ends when its owner leaves this tab: signed out, ended, or moved to another tab. */
import type { Owner } from '@blindkeep/client/owner'

const listeners = new WeakMap<Owner, (() => void)[]>()

export function onOwnerLeave(owner: Owner, listener: () => void): void {
  listeners.set(owner, [...(listeners.get(owner) ?? []), listener])
}

/** Calls the listeners once. */
export function ownerLeaves(owner: Owner): void {
  for (const listener of listeners.get(owner) ?? []) listener()
  listeners.delete(owner)
}
