/**
 * Hashes the secrets with which clients authenticate. Slow on purpose, not on the event loop, a bounded number at a time. Of one known `source` only a part of
 * them may wait, so that a flood from there does not refuse everyone else.
 */
export interface SecretHasher {
  /** PHC string of Argon2id, 19 MiB, 2 passes, 1 lane. Rejects with `HasherBusy` when the queue is full, or the share of `source` in it. */
  hash(secret: string, source?: string): Promise<string>
  /** In constant time; rejects as `hash` does. An undefined hash takes as long as a real one, and the answer is false. */
  verify(hash: string | undefined, secret: string, source?: string): Promise<boolean>
}

export class HasherBusy extends Error {
  override readonly name = 'HasherBusy'
}
