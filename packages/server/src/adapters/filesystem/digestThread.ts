import { Worker } from 'node:worker_threads'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { type BlobDigest, BlobMissing, StorageUnavailable } from '../../ports/blobs.ts'
import type { DigestAnswer, DigestOrder } from './digestWorker.ts'

/** What the system shows it as. */
export const THREAD_NAME = 'digest'
/**
 * A bound for a fault, not a saving: it needs 12 of them, and one that meets its bound while it starts takes the whole process along. What a thread
 * costs, about 26 MB with its code, it costs until it ends.
 */
const HEAP_MEBIBYTES = 32
const STACK_MEBIBYTES = 1

/** A thread that reads and hashes one file at a time. Only while it does so does it keep the process alive. */
export interface DigestThread {
  /** Undefined when it was asked to stop. Throws what `Blobs.digest` throws for the object, and another error when the thread dies. */
  digest(order: DigestOrder): Promise<BlobDigest | undefined>
  end(): Promise<void>
}

/** Throws when the system gives no thread. `onEnded` is called once it is gone, for whatever reason, before a digest under way is answered. */
export function startDigestThread(onEnded: () => void): DigestThread {
  const worker = new Worker(new URL('./digestWorker.ts', import.meta.url), {
    name: THREAD_NAME,
    // Its own, not those of the process: neither secrets of the environment nor the options of a test run have any business there.
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEBIBYTES, stackSizeMb: STACK_MEBIBYTES },
  })
  worker.unref()
  let waiting: PromiseWithResolvers<DigestAnswer> | undefined
  let cause: unknown
  worker.on('message', (answer: DigestAnswer) => waiting?.resolve(answer))
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', () => {
    onEnded()
    waiting?.reject(new Error('the thread that hashed an object has ended', { cause }))
  })
  return {
    async digest(order) {
      waiting = Promise.withResolvers()
      worker.ref()
      try {
        worker.postMessage(order)
        return digestIn(await waiting.promise)
      } finally {
        worker.unref()
        waiting = undefined
      }
    },
    async end() {
      await worker.terminate()
    },
  }
}

function digestIn(answer: DigestAnswer): BlobDigest | undefined {
  switch (answer.kind) {
    case 'digested':
      return { sha256: checkedHash(answer.sha256), size: answer.size }
    case 'stopped':
      return undefined
    case 'failed':
      throw failureOf(answer.code, answer.error)
  }
}

function checkedHash(text: string) {
  const hash = parseSha256Hex(text)
  if (hash === undefined) throw new Error('the thread that hashes answered with something else')
  return hash
}

function failureOf(code: string | undefined, cause: unknown): Error {
  if (code === undefined) return new Error('an object could not be hashed', { cause })
  return code === 'ENOENT'
    ? new BlobMissing('no such object')
    : new StorageUnavailable(`the storage answered ${code}`, { cause })
}
