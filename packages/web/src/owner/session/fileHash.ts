import { type FileHash, systemEnvironment } from '@blindkeep/client/environment'
import { trustedWorkerUrl } from '../../common/address/trustedUrl.ts'
import type { FileHashQuestion } from './fileHashWorker.ts'
import workerUrl from './fileHashWorker.ts?worker&url'

/** Smaller files are hashed before a worker would have started. */
const MIN_WORKER_BYTES = 4 * 1024 * 1024

/** SHA-256 of a file, in a worker of its own if the file is large and workers run. */
export async function createFileHash(bytes: number): Promise<FileHash> {
  if (bytes < MIN_WORKER_BYTES) return systemEnvironment.createFileHash(bytes)
  const worker = new Worker(trustedWorkerUrl(new URL(workerUrl, location.href)), { type: 'module' })
  const answer = () =>
    new Promise<string>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<string>) => resolve(data)
      worker.onerror = () => reject(new Error('the worker for hashes does not run'))
    })
  const ask = (question: FileHashQuestion) => {
    worker.postMessage(question)
    return answer()
  }
  try {
    await answer()
  } catch {
    worker.terminate()
    return systemEnvironment.createFileHash(bytes)
  }
  return {
    update: async (piece) => void (await ask(piece)),
    digest: () => ask('digest'),
    end: () => worker.terminate(),
  }
}
