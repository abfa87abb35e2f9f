/** Argon2id where Node has none (before 24.7): noble's, on a thread, because a hash takes some hundred milliseconds. */
import { Worker } from 'node:worker_threads'
import type { Argon2Answer, Argon2Order } from './argon2Worker.ts'

/** The thread's name in the system's tools. */
const THREAD_NAME = 'argon2'
/** The 19 MiB of a hash are outside the heap. Limits the damage of a fault; it saves no memory. */
const HEAP_MEBIBYTES = 32
const STACK_MEBIBYTES = 1

let running: ((order: Argon2Order) => Promise<Uint8Array>) | undefined

/** Rejects if the system gives no thread, or if it ended meanwhile. The next call starts another. */
export async function argon2OnThread(order: Argon2Order): Promise<Uint8Array> {
  running ??= startThread(() => {
    running = undefined
  })
  return running(order)
}

function startThread(onEnded: () => void): (order: Argon2Order) => Promise<Uint8Array> {
  const worker = new Worker(new URL('./argon2Worker.ts', import.meta.url), {
    name: THREAD_NAME,
    // Not inherited from the process: the thread needs neither the secrets in the environment nor the options of a test run.
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEBIBYTES, stackSizeMb: STACK_MEBIBYTES },
  })
  worker.unref()
  const waiting: PromiseWithResolvers<Uint8Array>[] = []
  let cause: unknown
  worker.on('message', (answer: Argon2Answer) => {
    const first = waiting.shift()
    if (waiting.length === 0) worker.unref()
    if ('tag' in answer) first?.resolve(answer.tag)
    else first?.reject(answer.error)
  })
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', () => {
    onEnded()
    for (const each of waiting.splice(0)) each.reject(new Error('the thread that hashes secrets has ended', { cause }))
  })
  return (order) => {
    const answer = Promise.withResolvers<Uint8Array>()
    waiting.push(answer)
    worker.ref()
    worker.postMessage(order)
    return answer.promise
  }
}
