import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'

/** Contents that nobody is given, and whose bytes stay. A hold names a content, not an object: whoever uploads it again brings nothing that is handed out. */

export interface Hold {
  readonly ciphertextHash: Sha256Hex
  /** The operator's own words. They leave the server by the operator's commands alone. */
  readonly reason: string
  readonly createdAt: Instant
}

export interface HoldReads {
  find(ciphertextHash: Sha256Hex): Promise<Hold | undefined>
  /** Oldest first. */
  list(): Promise<readonly Hold[]>
}

export interface HoldWrites {
  /** False, and nothing changed, when the content is held already. */
  add(hold: Hold): Promise<boolean>
  /** False when the content was not held. */
  remove(ciphertextHash: Sha256Hex): Promise<boolean>
}
