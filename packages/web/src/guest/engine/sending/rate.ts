/** Estimates the time left from a smoothed speed, so that the estimate does not jump. */

/** After about this time the estimate follows a change of speed. */
const MEMORY_MS = 8_000
/** Shorter spans measure buffers, not the connection. */
const MIN_SPAN_MS = 250
/** Before this, there is no estimate. */
const KNOWN_AFTER_MS = 3_000

export interface Rate {
  readonly bytesPerMs: number
  /** The last measurement: its time, and the bytes sent until then. */
  readonly atMs: number
  readonly sentBytes: number
  /** Time since the start. */
  readonly ageMs: number
}

export function startRate(atMs: number, sentBytes = 0): Rate {
  return { bytesPerMs: 0, atMs, sentBytes, ageMs: 0 }
}

export function rateAfter(rate: Rate, atMs: number, sentBytes: number): Rate {
  const spanMs = atMs - rate.atMs
  if (spanMs < MIN_SPAN_MS) return rate
  const now = Math.max(0, sentBytes - rate.sentBytes) / spanMs
  // At first all measurements have the same weight; later old ones lose theirs.
  const ageMs = rate.ageMs + spanMs
  const weight = Math.max(1 - Math.exp(-spanMs / MEMORY_MS), spanMs / ageMs)
  return { bytesPerMs: rate.bytesPerMs + weight * (now - rate.bytesPerMs), atMs, sentBytes, ageMs }
}

/** Undefined while there is no estimate. */
export function secondsLeft({ bytesPerMs, ageMs }: Rate, bytes: number): number | undefined {
  if (ageMs < KNOWN_AFTER_MS || bytesPerMs <= 0) return undefined
  return bytes / bytesPerMs / 1000
}

export interface RateMeter {
  /** Counts bytes that were sent. Negative when a chunk was lost. */
  count(bytes: number): void
  /** Forgets the speed so far, after a pause for example. */
  restart(): void
  /** Measures the speed. Call it regularly. */
  measure(): void
  /** Undefined while there is no estimate. */
  secondsLeft(bytes: number): number | undefined
}

export function createRateMeter(elapsedMs: () => number): RateMeter {
  let sentBytes = 0
  let rate = startRate(elapsedMs())
  return {
    count(bytes) {
      sentBytes += bytes
    },
    restart() {
      rate = startRate(elapsedMs(), sentBytes)
    },
    measure() {
      rate = rateAfter(rate, elapsedMs(), sentBytes)
    },
    secondsLeft: (bytes) => secondsLeft(rate, bytes),
  }
}
