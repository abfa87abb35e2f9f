/** A thread that does orders one after another. */
import { parentPort, Worker } from 'node:worker_threads'

/** Limits the damage of a fault; it saves no memory. */
const HEAP_MEBIBYTES = 32
const STACK_MEBIBYTES = 1

type Answer<Result> = { readonly result: Result } | { readonly error: unknown }
type Doing<Order, Result> = (order: Order) => Promise<Result>

/**
 * Gives orders to a thread of this process that runs the module at `url`, with `name` in the system's tools. It starts
 * with the first order, keeps the process alive only while it works, and starts again after it died. An order rejects
 * with what its work threw, or if the system gives no thread, or if the thread ended meanwhile.
 */
export function createOrderThread<Order, Result>(url: URL, name: string): Doing<Order, Result> {
  let running: Doing<Order, Result> | undefined
  return async (order) => {
    running ??= startThread(url, name, () => {
      running = undefined
    })
    return running(order)
  }
}

/** Calls `onEnded` after the thread ended for any reason, before running orders reject. */
function startThread<Order, Result>(url: URL, name: string, onEnded: () => void): Doing<Order, Result> {
  const worker = new Worker(url, {
    name,
    // Not inherited from the process: the thread needs neither the secrets in the environment nor the options of a
    // test run.
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEBIBYTES, stackSizeMb: STACK_MEBIBYTES },
  })
  worker.unref()
  const waiting: PromiseWithResolvers<Result>[] = []
  let cause: unknown
  worker.on('message', (answer: Answer<Result>) => {
    const first = waiting.shift()
    if (waiting.length === 0) worker.unref()
    if ('result' in answer) first?.resolve(answer.result)
    else first?.reject(answer.error)
  })
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', () => {
    onEnded()
    for (const each of waiting.splice(0)) each.reject(new Error(`the thread ${name} has ended`, { cause }))
  })
  return (order) => {
    const answer = Promise.withResolvers<Result>()
    waiting.push(answer)
    worker.ref()
    worker.postMessage(order)
    return answer.promise
  }
}

/** In the module of the thread. `work` may block, because the thread does nothing else. */
export function answerOrders<Order, Result>(work: (order: Order) => Result): void {
  const port = parentPort
  port?.on('message', (order: Order) => {
    const answer = answerTo(() => work(order))
    port.postMessage(answer)
  })
}

function answerTo<Result>(work: () => Result): Answer<Result> {
  try {
    return { result: work() }
  } catch (error) {
    return { error }
  }
}
