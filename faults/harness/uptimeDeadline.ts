/**
 * A deadline for waits on a server that is killed again and again. It counts only the time in which the server is
 * up: a loaded machine may need longer for a start than the time between two kills, and a slow start is not a server
 * that hangs.
 */
export interface UptimeDeadline {
  /** Up for that long since the deadline's restart; also true after two minutes down. */
  isOver(): boolean
  /** Call it when there was progress. */
  restart(): void
}

const MAX_DOWN_MS = 120_000

export function createUptimeDeadline(uptimeMs: () => number, ms: number): UptimeDeadline {
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
