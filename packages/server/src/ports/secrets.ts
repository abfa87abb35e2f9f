/** Hashes the secrets that clients authenticate with. Slow on purpose, off the event loop, a bounded number at a time. */
export interface SecretHasher {
  /** PHC string of Argon2id, 19 MiB, 2 passes, 1 lane. Rejects with `HasherBusy` when the queue is full. */
  hash(secret: string): Promise<string>
  /** Constant-time. An undefined hash takes the same time as a real one and is false. */
  verify(hash: string | undefined, secret: string): Promise<boolean>
}

export class HasherBusy extends Error {
  override readonly name = 'HasherBusy'
}
