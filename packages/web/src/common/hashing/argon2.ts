import type { SlowDerivation } from '@blindkeep/client/environment'
import type { Bytes } from '@blindkeep/protocol/bytes'
import { trustedWorkerUrl } from '../address/trustedUrl.ts'
import type { Argon2Answer, Argon2Question } from './argon2Messages.ts'
import workerUrl from './argon2Worker.ts?worker&url'

/** One worker for each derivation: its 64 MiB and the password end with it. */
export function deriveInWorker(question: Argon2Question, { onProgress }: SlowDerivation = {}): Promise<Bytes> {
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
