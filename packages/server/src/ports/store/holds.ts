/**
 * Contents that the server hands out to no client, although their bytes stay. A hold names a content, not an object: it also covers objects of that content
 * that accounts upload later.
 */
import type { Instant, Sha256Hex } from '@blindkeep/protocol/ids'

export interface Hold {
  readonly ciphertextHash: Sha256Hex
  /** The operator's own words. Only the operator's commands show them. */
  readonly reason: string
  readonly createdAt: Instant
}

export interface HoldReads {
  find(ciphertextHash: Sha256Hex): Promise<Hold | undefined>
  /** Oldest first. */
  list(): Promise<readonly Hold[]>
}

export interface HoldWrites {
  /** False, and nothing changed, if the content is on hold already. */
  add(hold: Hold): Promise<boolean>
  /** False if the content was not on hold. */
  remove(ciphertextHash: Sha256Hex): Promise<boolean>
}
