import type { Bytes } from '@blindkeep/protocol/bytes'
import { type Instant, instantOf } from '@blindkeep/protocol/ids'
import { masterOfPassword, passphraseProof } from './seal/password.ts'
import { createRunningHash, type RunningHash } from './seal/sha256.ts'

export { masterOfPassword, passphraseProof, type SlowDerivation } from './seal/password.ts'

/** What the client needs of the world beside WebCrypto. Passed in, so that tests decide what time it is and what the random say. */
export interface Environment {
  readonly fetch: typeof fetch
  /** SHA-256 over pieces. WebCrypto has none, so the default is written in JavaScript; Node has one that is several times as fast. */
  createHash(): RunningHash
  /** Argon2id takes about a second in JavaScript; Node has one that takes a tenth of it. */
  readonly masterOfPassword: typeof masterOfPassword
  readonly passphraseProof: typeof passphraseProof
  /** From a cryptographic generator. */
  randomBytes(count: number): Bytes
  /** The time of day, for what a client asserts of itself. */
  now(): Instant
  /** Milliseconds on a clock that never goes back; only differences mean something. */
  elapsedMs(): number
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as that aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** The browser's, or Node's: both have all of it under the same names. */
export const systemEnvironment: Environment = {
  // Called through the global, because a browser's fetch refuses to be called as a member of another object.
  fetch: (input, init) => globalThis.fetch(input, init),
  createHash: createRunningHash,
  masterOfPassword,
  passphraseProof,
  randomBytes: (count) => globalThis.crypto.getRandomValues(new Uint8Array(count)),
  now: () => instantOf(Date.now()),
  elapsedMs: () => globalThis.performance.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, milliseconds)
      signal?.addEventListener('abort', abort, { once: true })
    }),
}
