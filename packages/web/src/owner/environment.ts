import { type Environment, type SlowDerivation, systemEnvironment } from '@blindkeep/client/environment'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { trustedWorkerUrl } from '../common/trustedUrl.ts'
import type { Argon2Question, Argon2Word } from './argon2Messages.ts'
import workerUrl from './argon2Worker.ts?worker&url'

/** Until it is closed, everything goes out as it is asked; from then on nothing does, so that a tab that gave its session away cannot spend its tokens. */
export interface Gate {
  isClosed: boolean
  /** The page goes away, and what is sent now has to outlive it. */
  isLeaving: boolean
}

/** The browser's, with the slow derivations beside the page. */
export function pageEnvironment(gate: Gate): Environment {
  return {
    ...systemEnvironment,
    fetch: (input, init) =>
      gate.isClosed
        ? Promise.reject(new TypeError('this tab has given its session away'))
        : fetch(input, gate.isLeaving ? { ...init, keepalive: true } : init),
    masterOfPassword: (text, salt, options) => derive({ kind: 'password', text, salt }, options),
    passphraseProof: (text, salt, options) => derive({ kind: 'passphrase', text, salt }, options),
  }
}

/** A worker for each: its 64 MiB, and what was typed, go with it. */
function derive(question: Argon2Question, { onProgress }: SlowDerivation = {}): Promise<Bytes> {
  const worker = new Worker(trustedWorkerUrl(new URL(workerUrl, location.href)), { type: 'module' })
  return new Promise<Bytes>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Argon2Word>) => {
      if (data.share !== undefined) onProgress?.(data.share)
      else if (data.derived !== undefined) resolve(data.derived)
      else reject(new Error(data.fault))
    }
    worker.onerror = () => reject(new Error('the worker for passwords does not run'))
    worker.postMessage(question)
  }).finally(() => worker.terminate())
}
