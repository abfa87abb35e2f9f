import { Worker } from 'node:worker_threads'
import type { KeyId } from '@blindkeep/protocol/ids'
import type { ReceiptPayload } from '@blindkeep/protocol/receipt'
import type { SignedReceipt } from '../../ports/keyring.ts'
import type { SigningKey } from '../../signatures.ts'
import type { SigningAnswer, SigningOrder } from './receiptWorker.ts'

/** The thread's name in the system's tools. */
const THREAD_NAME = 'receipts'
/** Limits the damage of a fault; it saves no memory. */
const HEAP_MEBIBYTES = 32
const STACK_MEBIBYTES = 1

export interface ReceiptKeys {
  readonly ed25519: SigningKey
  readonly mlDsa65: SigningKey
}

/** A thread that signs chains of receipts, one order after another. It keeps the process alive only while it signs. */
interface ReceiptThread {
  sign(order: SigningOrder): Promise<readonly SignedReceipt[]>
}

/** One for the process: a server has one receipt log. Undefined before the first receipt, and after the thread died. */
let running: ReceiptThread | undefined

export async function signOnThread(
  keys: ReceiptKeys,
  payloads: readonly ReceiptPayload[],
  keyId: KeyId,
): Promise<readonly SignedReceipt[]> {
  running ??= startThread(() => {
    running = undefined
  })
  return running.sign({ ...keys, payloads, keyId })
}

/** Throws if the system gives no thread. Calls `onEnded` after the thread ended for any reason, before running orders reject. */
function startThread(onEnded: () => void): ReceiptThread {
  const worker = new Worker(new URL('./receiptWorker.ts', import.meta.url), {
    name: THREAD_NAME,
    // Not inherited from the process: the thread needs neither the secrets in the environment nor the options of a test run.
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEBIBYTES, stackSizeMb: STACK_MEBIBYTES },
  })
  worker.unref()
  const waiting: PromiseWithResolvers<readonly SignedReceipt[]>[] = []
  let cause: unknown
  worker.on('message', (answer: SigningAnswer) => {
    const first = waiting.shift()
    if (waiting.length === 0) worker.unref()
    if ('receipts' in answer) first?.resolve(answer.receipts)
    else first?.reject(answer.error)
  })
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', () => {
    onEnded()
    for (const each of waiting.splice(0)) each.reject(new Error('the thread that signs receipts has ended', { cause }))
  })
  return {
    sign(order) {
      const answer = Promise.withResolvers<readonly SignedReceipt[]>()
      waiting.push(answer)
      worker.ref()
      worker.postMessage(order)
      return answer.promise
    },
  }
}
