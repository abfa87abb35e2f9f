import { closeSync, constants, openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { CopyOrder } from './copyWorker.ts'

/** Copies one instant to a new file without delaying writers. Resolves when it is durable and checked. */
export async function copySqlite(source: string, target: string): Promise<void> {
  // SQLite would create it with a mode that depends on the umask.
  closeSync(openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600))
  await inThread({ source, target })
}

function inThread(order: CopyOrder): Promise<void> {
  const worker = new Worker(new URL('./copyWorker.ts', import.meta.url), {
    name: 'snapshot',
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    workerData: order,
  })
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('the thread has ended'))))
  })
}
