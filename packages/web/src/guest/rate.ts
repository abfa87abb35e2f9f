/** How fast it goes, smoothed so that what is told of the time left does not jump about. */

/** A change of speed shows after about this long. */
const MEMORY_MS = 8_000
/** Shorter spans than this tell more of buffers than of the line. */
const SPAN_MS_MIN = 250
/** Before so much has been seen, nobody can say. */
const KNOWN_AFTER_MS = 3_000

export interface Rate {
  readonly bytesPerMs: number
  /** When it was last looked at, and how much had been sent by then. */
  readonly atMs: number
  readonly sentBytes: number
  /** For how long something has been seen moving. */
  readonly seenMs: number
}

export function startRate(atMs: number, sentBytes = 0): Rate {
  return { bytesPerMs: 0, atMs, sentBytes, seenMs: 0 }
}

export function rateAfter(rate: Rate, atMs: number, sentBytes: number): Rate {
  const spanMs = atMs - rate.atMs
  if (spanMs < SPAN_MS_MIN) return rate
  const now = Math.max(0, sentBytes - rate.sentBytes) / spanMs
  // A young average weighs all it has seen alike; an old one forgets.
  const seenMs = rate.seenMs + spanMs
  const weight = Math.max(1 - Math.exp(-spanMs / MEMORY_MS), spanMs / seenMs)
  return { bytesPerMs: rate.bytesPerMs + weight * (now - rate.bytesPerMs), atMs, sentBytes, seenMs }
}

/** Undefined while nobody can say. */
export function secondsLeft({ bytesPerMs, seenMs }: Rate, bytes: number): number | undefined {
  if (seenMs < KNOWN_AFTER_MS || bytesPerMs <= 0) return undefined
  return bytes / bytesPerMs / 1000
}
