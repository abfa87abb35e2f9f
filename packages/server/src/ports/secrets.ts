/**
 * Hashes the secrets with which clients authenticate. Slow on purpose, not on the event loop, a bounded number at a
 * time. Of one known `source` only a part of them may wait, so that a flood from there does not refuse everyone else.
 */
export interface SecretHasher {
  /** PHC string: Argon2id, 19 MiB, 2 passes, 1 lane. Rejects with `HasherBusy` for a full queue, or source's share. */
  hash(secret: string, source?: string): Promise<string>
  /** Constant time; rejects as `hash` does. An undefined hash takes as long, and the answer is false. */
  verify(hash: string | undefined, secret: string, source?: string): Promise<boolean>
}

export class HasherBusy extends Error {
  override readonly name = 'HasherBusy'
}
