/**
 * A drop never changes, so its id names the same drop as long as this client runs. What a person has seen under an id stays what an action by that id
 * is about: a server that lists another drop under it has swapped the file after the owner looked.
 */
import type { DropId } from '@blindkeep/protocol/ids'
import type { DropFacts } from './inboxDrop.ts'

/** An inbox lists 10,000 drops. Beyond this number, the ids that were listed first are forgotten. */
const MAX_IDS = 100_000

export interface DropIdentities {
  /** Whether this id was listed for another drop before. */
  isSwapped(drop: DropFacts): boolean
}

export function createDropIdentities(): DropIdentities {
  const known = new Map<DropId, string>()
  return {
    isSwapped(drop) {
      const identity = identityOf(drop)
      const before = known.get(drop.dropId)
      if (before !== undefined) return before !== identity
      known.set(drop.dropId, identity)
      for (const oldest of known.keys()) {
        if (known.size <= MAX_IDS) break
        known.delete(oldest)
      }
      return false
    },
  }
}

/** Without `kem_ct`, which is a part of the sealed bytes and compared with them whenever they are opened. */
function identityOf({ opaqueId, ciphertextHash, sealedBytes }: DropFacts): string {
  return `${opaqueId} ${ciphertextHash} ${sealedBytes}`
}
