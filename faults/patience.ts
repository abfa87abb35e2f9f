/**
 * How long somebody waits for a server that is killed again and again. A wait is measured in the time that the server is up: kills come faster than a
 * loaded machine can start it, and whoever counts those seconds too takes a slow machine for a server that hangs.
 */
export interface Patience {
  /** Whether the server was up for so long since the wait began, or began anew. Also when it has been down for two minutes: nobody starts it any more. */
  isOver(): boolean
  /** There was progress: the wait begins anew. */
  restart(): void
}

const MAX_DOWN_MS = 120_000

export function createPatience(uptimeMs: () => number, ms: number): Patience {
  let begunMs = uptimeMs()
  let seen = { uptimeMs: begunMs, at: performance.now() }
  return {
    isOver() {
      const now = { uptimeMs: uptimeMs(), at: performance.now() }
      if (now.uptimeMs !== seen.uptimeMs) seen = now
      return now.uptimeMs - begunMs > ms || now.at - seen.at > MAX_DOWN_MS
    },
    restart() {
      begunMs = uptimeMs()
      seen = { uptimeMs: begunMs, at: performance.now() }
    },
  }
}
