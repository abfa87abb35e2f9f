import { type Environment, type SlowDerivation, systemEnvironment } from '@blindkeep/client/environment'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { trustedWorkerUrl } from '../common/trustedUrl.ts'
import type { Argon2Answer, Argon2Question } from './argon2Messages.ts'
import workerUrl from './argon2Worker.ts?worker&url'
import { createFileHash } from './fileHash.ts'

/** A closed gate lets no request out: a tab whose session has moved to another tab must not use its tokens. */
export interface Gate {
  isClosed: boolean
  /** The page is closing: requests must outlive it. */
  isLeaving: boolean
}

/** The browser's environment, with the slow derivations and the hashes of large files in workers. */
export function pageEnvironment(gate: Gate): Environment {
  return {
    ...systemEnvironment,
    fetch: (input, init) =>
      gate.isClosed
        ? Promise.reject(new TypeError('the session has moved to another tab'))
        : fetch(input, gate.isLeaving ? { ...init, keepalive: true } : init),
    createFileHash,
    masterOfPassword: (text, salt, options) => derive({ kind: 'password', text, salt }, options),
    passphraseProof: (text, salt, options) => derive({ kind: 'passphrase', text, salt }, options),
  }
}

/** One worker for each derivation: its 64 MiB and the password end with it. */
function derive(question: Argon2Question, { onProgress }: SlowDerivation = {}): Promise<Bytes> {
  const worker = new Worker(trustedWorkerUrl(new URL(workerUrl, location.href)), { type: 'module' })
  return new Promise<Bytes>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Argon2Answer>) => {
      if (data.share !== undefined) onProgress?.(data.share)
      else if (data.derived !== undefined) resolve(data.derived)
      else reject(new Error(data.fault))
    }
    worker.onerror = () => reject(new Error('the worker for passwords does not run'))
    worker.postMessage(question)
  }).finally(() => worker.terminate())
}
