/**
 * The least rate of a peer that sends a body or reads an answer (`decisions/http.md`). A peer begins with 10 s of
 * patience, which only run while the server waits for it. Each 1024 bytes earn one second more, up to 60 s. So a peer
 * that sends nothing has 10 s, a slow one needs 1 KiB/s, and one that was quick may stop for a minute, as in a tunnel.
 */
const FIRST_MS = 10_000
const MAX_MS = 60_000
const BYTES_PER_SECOND = 1024

export interface Patience {
  /** The server waits for the peer from now on. */
  wait(): void
  /** The peer has sent or taken so many bytes. */
  progress(bytes: number): void
  /** Call it when nothing more is expected of the peer. */
  end(): void
}

/** Calls `giveUp` at most once, while the server waits and the patience is used up. `now` is in milliseconds. */
export function createPatience(giveUp: () => void, now: () => number = () => performance.now()): Patience {
  let leftMs = FIRST_MS
  let waitingSince: number | undefined
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false

  // One timer serves many waits, because setting one for each piece would cost more than the piece. It may be early,
  // never late: patience runs only in waits.
  function look(): void {
    timer = undefined
    if (waitingSince === undefined) return
    const restMs = leftMs - (now() - waitingSince)
    if (restMs > 0) timer = setTimeout(look, restMs).unref()
    else giveUp()
  }

  return {
    wait() {
      if (hasEnded) return
      waitingSince = now()
      timer ??= setTimeout(look, leftMs).unref()
    },
    progress(bytes) {
      const waitedMs = waitingSince === undefined ? 0 : now() - waitingSince
      waitingSince = undefined
      leftMs = Math.min(MAX_MS, Math.max(0, leftMs - waitedMs) + (bytes * 1000) / BYTES_PER_SECOND)
    },
    end() {
      hasEnded = true
      waitingSince = undefined
      clearTimeout(timer)
      timer = undefined
    },
  }
}
