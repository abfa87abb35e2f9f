/** Returns a signal that aborts after `timeoutMs`. */
export type GiveUpAfter = (timeoutMs: number) => AbortSignal

/** Resolves with true after `ms`, or with false once `until` aborts. */
export type Pause = (ms: number, until?: AbortSignal) => Promise<boolean>

export function createPause(giveUpAfter: GiveUpAfter): Pause {
  return (ms, until) =>
    new Promise((resolve) => {
      if (until?.aborted === true) return resolve(false)
      const time = giveUpAfter(ms)
      if (time.aborted) return resolve(true)
      const end = (isOver: boolean) => () => {
        time.removeEventListener('abort', over)
        until?.removeEventListener('abort', stopped)
        resolve(isOver)
      }
      const [over, stopped] = [end(true), end(false)]
      time.addEventListener('abort', over)
      until?.addEventListener('abort', stopped)
    })
}
