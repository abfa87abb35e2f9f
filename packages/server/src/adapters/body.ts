/** Reads a body piece by piece. Stops waiting for the next piece as soon as `signal` aborts. */
interface BodyReader {
  /** Undefined at the end. Rejects with the signal's reason on an abort, and with the body's error. */
  next(): Promise<Uint8Array | undefined>
  /** Call it after the last `next`. Ends a body that was not read to its end, as `for await` does. */
  leave(): void
}

export function readBody(body: AsyncIterable<Uint8Array>, signal: AbortSignal): BodyReader {
  const iterator = body[Symbol.asyncIterator]()
  /** Set while a `next` waits. */
  let stopWaiting: ((reason: unknown) => void) | undefined
  const abort = () => stopWaiting?.(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  let isOver = false

  /** Not `Promise.race` with a promise of the abort: that would keep every piece reachable until the body ends. */
  function stepOrAbort(): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      stopWaiting = reject
      iterator.next().then(resolve, reject)
    })
  }

  return {
    async next() {
      signal.throwIfAborted()
      try {
        const step = await stepOrAbort()
        if (step.done !== true) return step.value
        isOver = true
        return undefined
      } catch (error) {
        isOver = !signal.aborted
        throw error
      } finally {
        stopWaiting = undefined
      }
    },
    leave() {
      signal.removeEventListener('abort', abort)
      // Not awaited: a body of a dead connection answers only after the connection is closed, and the caller must not
      // wait for that.
      if (!isOver) Promise.resolve(iterator.return?.()).catch(() => undefined)
    },
  }
}
