import { Worker } from 'node:worker_threads'
import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { BlobMissing } from '../../ground/storageErrors.ts'
import type { BlobDigest } from '../../ports/objects.ts'
import type { DigestAnswer, DigestOrder } from './digestWorker.ts'
import { readFailure } from './failure.ts'

/** The thread's name in the system's tools. */
export const THREAD_NAME = 'digest'
/**
 * Limits the damage of a fault; it saves no memory. A thread needs 12 MiB, and a thread that exceeds its limit while it
 * starts ends the whole process. A thread takes about 26 MB, with its code, until it ends.
 */
const HEAP_MEBIBYTES = 32
const STACK_MEBIBYTES = 1

/** A thread that reads and hashes one file at a time. It keeps the process alive only while it hashes. */
export interface DigestThread {
  /** Undefined if it was stopped. Throws what `Objects.digest` throws, and another error if the thread dies. */
  digest(order: DigestOrder): Promise<BlobDigest | undefined>
  end(): Promise<void>
}

/** Throws if the system gives no thread. Calls `onEnded` after any end, before a running digest rejects. */
export function startDigestThread(onEnded: () => void): DigestThread {
  const worker = new Worker(new URL('./digestWorker.ts', import.meta.url), {
    name: THREAD_NAME,
    // Not inherited from the process: the thread needs neither the secrets in the environment nor the options of a
    // test run.
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
        return digestIn(await waiting.promise, order)
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

function digestIn(answer: DigestAnswer, { path }: DigestOrder): BlobDigest | undefined {
  switch (answer.kind) {
    case 'digested':
      return { sha256: checkedHash(answer.sha256), size: answer.size }
    case 'stopped':
      return undefined
    case 'failed':
      throw failureOf(answer.code, { path, cause: answer.error })
  }
}

function checkedHash(text: string) {
  const hash = parseSha256Hex(text)
  if (hash === undefined) throw new Error('the thread that hashes answered something that is not a hash')
  return hash
}

function failureOf(code: string | undefined, at: { readonly path: string; readonly cause: unknown }): Error {
  if (code === undefined) return new Error('an object could not be hashed', { cause: at.cause })
  return code === 'ENOENT' ? new BlobMissing('no such object') : readFailure(code, at)
}
