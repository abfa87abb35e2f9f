/** Reads a body piece by piece. Stops waiting for the next piece as soon as `signal` aborts. */
interface BodyReader {
  /** Undefined at the end. Rejects with the signal's reason if the signal aborts, and with the body's error if the body throws. */
  next(): Promise<Uint8Array | undefined>
  /** Call it after the last `next`. Ends a body that was not read to its end, as `for await` does. */
  leave(): void
}

export function readBody(body: AsyncIterable<Uint8Array>, signal: AbortSignal): BodyReader {
  const iterator = body[Symbol.asyncIterator]()
  const aborted = Promise.withResolvers<never>()
  // If no `next` waits when the signal aborts, the unhandled rejection would end the process.
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
      // Not awaited: a body of a dead connection answers only after the connection is closed, and the caller must not wait for that.
      if (!isOver) Promise.resolve(iterator.return?.()).catch(() => undefined)
    },
  }
}
