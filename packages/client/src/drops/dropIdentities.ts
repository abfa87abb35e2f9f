/**
 * A drop never changes, so its id names the same drop as long as this client runs. What a person has seen under an id
 * stays what an action by that id is about: a server that lists another drop under it, or returns another header for
 * it, has swapped the file after the owner looked.
 */

import { utf8 } from '@blindkeep/protocol/bytes'
import { CappedMap } from '@blindkeep/protocol/cappedMap'
import type { DropId } from '@blindkeep/protocol/ids'
import type { Environment } from '../ground/environment.ts'
import type { FileDescription } from '../seal/fileHeader.ts'
import type { DropFacts } from './inboxDrop.ts'

/** An inbox lists 10,000 drops. Beyond this number, the ids that were listed first are forgotten. */
const MAX_IDS = 100_000

interface DropIdentities {
  /** From now on this id is this drop's. `isSwapped` notes it too. */
  note(drop: DropFacts): void
  /** Whether this id was listed for another drop before. */
  isSwapped(drop: DropFacts): boolean
  /** Whether this id was shown as another file or opened with another key: a sender can seal several of both. */
  isRenamed(drop: DropFacts, file: FileDescription): boolean
}

interface Identity {
  readonly drop: string
  /** SHA-256 of what was shown and of its `kem_ct`, once opened: another key would not open these bytes later. */
  file: string | undefined
}

export function createDropIdentities({ createHash }: Pick<Environment, 'createHash'>): DropIdentities {
  const known = new CappedMap<DropId, Identity>(MAX_IDS)

  function identityOf(facts: DropFacts): Identity {
    const before = known.get(facts.dropId)
    if (before !== undefined) return before
    const identity = { drop: dropOf(facts), file: undefined }
    known.set(facts.dropId, identity)
    return identity
  }

  function fileOf(
    { kemCt }: DropFacts,
    { name, type, note, sender, modifiedAt, size, batch, fields }: FileDescription,
  ): string {
    const running = createHash()
    const words = [name, type, note, sender, modifiedAt, fields]
    const shown = [kemCt, size, ...words, batch?.id, batch?.index, batch?.count]
    running.update(utf8(JSON.stringify(shown.map((value) => value ?? null))))
    return running.digest()
  }

  return {
    note: (drop) => void identityOf(drop),
    isSwapped: (drop) => identityOf(drop).drop !== dropOf(drop),
    isRenamed(drop, description) {
      const identity = identityOf(drop)
      const file = fileOf(drop, description)
      identity.file ??= file
      return identity.file !== file
    },
  }
}

/** Without `kem_ct`, so that a drop whose key was first listed wrongly can still be opened. */
function dropOf({ opaqueId, ciphertextHash, sealedBytes }: DropFacts): string {
  return `${opaqueId} ${ciphertextHash} ${sealedBytes}`
}
