import { type Bytes, toHex } from '@blindkeep/protocol/bytes'
import { type Instant, instantOf } from '@blindkeep/protocol/ids'
import { masterOfPassword, passphraseProof } from './password.ts'
import { createRunningHash, type FileHash, fileHashOf, type RunningHash } from './sha256.ts'

export { masterOfPassword, passphraseProof, type SlowDerivation } from './password.ts'
export { type FileHash, fileHashOf, type RunningHash } from './sha256.ts'

/** The surroundings of the client, beside WebCrypto. Passed in, so that a test controls time and randomness. */
export interface Environment {
  readonly fetch: typeof fetch
  /** SHA-256 over pieces, which WebCrypto lacks. The default is JavaScript; Node's own is several times as fast. */
  createHash(): RunningHash
  /** The same for a whole file of so many bytes. It may begin later, because a faster one may have to be loaded. */
  createFileHash(bytes: number): Promise<FileHash>
  /** Argon2id: about a second in JavaScript, a tenth of that in Node. 64 MiB of memory. */
  readonly masterOfPassword: typeof masterOfPassword
  readonly passphraseProof: typeof passphraseProof
  /** From a cryptographic generator. */
  randomBytes(count: number): Bytes
  /** The time of day, for timestamps that the client signs. */
  now(): Instant
  /** Milliseconds of a monotonic clock; only differences have a meaning. */
  elapsedMs(): number
  /** Resolves after `milliseconds`, 24 days at most; rejects with the signal's reason as soon as that aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** Timers count in 31 bits. They run out at once after a longer wait, and so would a loop that waits. */
const MAX_WAIT_MS = 2 ** 31 - 1

/** Works in browsers and in Node: both have these globals under the same names. */
export const systemEnvironment: Environment = {
  // Called through the global: a browser's fetch throws when it is called as a member of another object.
  fetch: (input, init) => globalThis.fetch(input, init),
  createHash: createRunningHash,
  createFileHash: async () => fileHashOf(createRunningHash()),
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
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
        Math.min(milliseconds, MAX_WAIT_MS),
      )
      signal?.addEventListener('abort', abort, { once: true })
    }),
}

/** Makes each proof once, if it does not fail: it takes a second, and all files of a link need the same one. */
export function withCachedProofs(environment: Environment): Environment {
  const proofs = new Map<string, Promise<Bytes>>()
  return {
    ...environment,
    passphraseProof(text, salt, options) {
      const key = `${toHex(salt)} ${text}`
      const proof = proofs.get(key) ?? environment.passphraseProof(text, salt, options)
      proofs.set(key, proof)
      proof.catch(() => proofs.delete(key))
      return proof
    },
  }
}
