import { DigestsBusy } from '../../ground/storageErrors.ts'
import type { BlobDigest } from '../../ports/objects.ts'
import { type DigestThread, startDigestThread } from './digestThread.ts'
import type { DigestOrder } from './digestWorker.ts'

/** Each thread can keep one core and one disk busy. More threads would slow down requests. */
export const MAX_THREADS = 2
/** How many digests may wait for a thread. */
export const MAX_WAITING = 256
/** A thread without work ends after so long, so that an idle server does not keep its memory. */
export const IDLE_MS = 10_000

/** Computes digests of files, one per thread at a time. Others wait in the order of the calls. */
export interface Digests {
  /** What `Objects.digest` promises, for the file at `path`. */
  take(path: string, size: number, signal: AbortSignal): Promise<BlobDigest>
  /** Ends the threads. Waiting and running digests fail. */
  close(): Promise<void>
}

interface Job {
  readonly order: DigestOrder
  readonly outcome: PromiseWithResolvers<BlobDigest>
}

export function createDigests(): Digests {
  const waiting = new Set<Job>()
  const threads = createThreads()
  let running = 0
  let isClosed = false

  function startNext(): void {
    for (const job of waiting) {
      if (running >= MAX_THREADS) return
      waiting.delete(job)
      void run(job)
    }
  }

  async function run({ order, outcome }: Job): Promise<void> {
    running += 1
    try {
      const digest = await threads.use((thread) => thread.digest(order))
      // Undefined if it was stopped: then the abort has settled the outcome.
      if (digest !== undefined) outcome.resolve(digest)
    } catch (error) {
      outcome.reject(error)
    } finally {
      running -= 1
      startNext()
    }
  }

  return {
    async take(path, size, signal) {
      signal.throwIfAborted()
      if (isClosed) throw new Error('the store is closed')
      if (running >= MAX_THREADS && waiting.size >= MAX_WAITING)
        throw new DigestsBusy('too many objects wait to be hashed')
      const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
      const job: Job = { order: { path, size, stop }, outcome: Promise.withResolvers() }
      const abort = () => {
        waiting.delete(job)
        // The thread stops after its present read, which may take long on a broken disk. The caller does not wait
        // for that.
        Atomics.store(stop, 0, 1)
        job.outcome.reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      waiting.add(job)
      startNext()
      try {
        return await job.outcome.promise
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    async close() {
      isClosed = true
      for (const { outcome } of waiting) outcome.reject(new Error('the store was closed'))
      waiting.clear()
      await threads.close()
    },
  }
}

/** Starts a thread if a digest needs one and none is idle. Ends a thread that was idle for `IDLE_MS`. */
function createThreads() {
  const all = new Set<DigestThread>()
  /** Idle threads with the timer that ends each. The latest one is the last. */
  const resting = new Map<DigestThread, NodeJS.Timeout>()

  function start(): DigestThread {
    const thread = startDigestThread(() => {
      clearTimeout(resting.get(thread))
      resting.delete(thread)
      all.delete(thread)
    })
    all.add(thread)
    return thread
  }

  function wakeLast(): DigestThread | undefined {
    const [thread, timer] = [...resting].at(-1) ?? []
    if (thread === undefined) return undefined
    clearTimeout(timer)
    resting.delete(thread)
    return thread
  }

  function rest(thread: DigestThread): void {
    const timer = setTimeout(() => {
      resting.delete(thread)
      void thread.end()
    }, IDLE_MS)
    resting.set(thread, timer.unref())
  }

  return {
    async use<Result>(work: (thread: DigestThread) => Promise<Result>): Promise<Result> {
      const thread = wakeLast() ?? start()
      try {
        return await work(thread)
      } finally {
        // A thread that died during the work is not in `all`.
        if (all.has(thread)) rest(thread)
      }
    },
    async close() {
      for (const timer of resting.values()) clearTimeout(timer)
      resting.clear()
      await Promise.all([...all].map((thread) => thread.end()))
    },
  }
}
