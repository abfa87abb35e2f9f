/** Each page holds a lock for what it has begun. When it leaves or is killed, another page goes on with that. */

/** Resolves when this page has the lock, which it holds until `left` aborts and `ended` resolves, or it closes. */
export function holdPage(lock: string, left: AbortSignal, ended: () => Promise<unknown>): Promise<void> {
  const leaving = new Promise((resolve) => left.addEventListener('abort', resolve))
  return new Promise((resolve, reject) => {
    const hold = async () => {
      resolve()
      await leaving
      await ended()
    }
    navigator.locks.request(lock, hold).catch(reject)
  })
}

/** Calls back when the page that holds the lock has left, unless this one leaves before. */
export function whenPageLeft(lock: string, left: AbortSignal, take: () => Promise<void>): void {
  const unlessLeft = async () => {
    if (!left.aborted) await take()
  }
  void navigator.locks.request(lock, { signal: left }, unlessLeft).catch(() => undefined)
}
