/** Takes pieces out of a body one by one, and stops waiting for the next one the moment `signal` aborts. */
export interface BodyReader {
  /** Undefined at the end. Rejects with the signal's reason when it aborts, and with the body's error when it throws. */
  next(): Promise<Uint8Array | undefined>
  /** Has to be called once nothing more will be taken. Tells a body that was left early, as `for await` would. */
  leave(): void
}

export function readBody(body: AsyncIterable<Uint8Array>, signal: AbortSignal): BodyReader {
  const iterator = body[Symbol.asyncIterator]()
  const aborted = Promise.withResolvers<never>()
  // Nobody may be waiting when it aborts; without this the process would end over a rejection that is not handled.
  aborted.promise.catch(() => undefined)
  const abort = () => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  let isOver = false
  return {
    async next() {
      signal.throwIfAborted()
      try {
        const step = await Promise.race([iterator.next(), aborted.promise])
        if (step.done !== true) return step.value
        isOver = true
        return undefined
      } catch (error) {
        isOver = !signal.aborted
        throw error
      }
    },
    leave() {
      signal.removeEventListener('abort', abort)
      // Not awaited: a body that is stuck on a dead connection answers only when that is closed, and the caller has to have its answer before.
      if (!isOver) Promise.resolve(iterator.return?.()).catch(() => undefined)
    },
  }
}
