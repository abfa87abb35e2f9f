/**
 * What time it is at the server. Both clocks may be wrong, but a link, a share or a token ends by the server's: what is
 * counted from now on is counted from its time, and what is over is over by it. A server can lie about its time, and
 * then lies about its own ends only.
 */
import { type Instant, instantIn, instantOf } from '@blindkeep/protocol/ids'

export interface ServerClock {
  /** By the last answer; by this machine's clock before the first. */
  now(): Instant
  hasAnswered(): boolean
  /** Reads the time of an answer (RFC 9110, Date). An answer that a cache kept says how old it is. */
  note(headers: Headers): void
}

/**
 * Both clocks of this machine count from an answer on, and the one that has counted more is right: the time of day may
 * be set back, and the monotonic one may stand still while the machine sleeps.
 */
export function createServerClock(timeHere: () => Instant, elapsedMs: () => number): ServerClock {
  let answer: { readonly at: Instant; readonly timeHere: Instant; readonly elapsedMs: number } | undefined
  return {
    now() {
      if (answer === undefined) return timeHere()
      const sinceMs = Math.max(timeHere() - answer.timeHere, Math.floor(elapsedMs() - answer.elapsedMs))
      return instantOf(answer.at + sinceMs)
    },
    hasAnswered: () => answer !== undefined,
    note(headers) {
      const at = Date.parse(headers.get('date') ?? '')
      const ageSeconds = Number(headers.get('age') ?? 0)
      // A time that RFC 3339 cannot write would be in no reader's calendar, and end the drawing of a page.
      const now = ageSeconds >= 0 ? instantIn(at + ageSeconds * 1000) : undefined
      if (now !== undefined) answer = { at: now, timeHere: timeHere(), elapsedMs: elapsedMs() }
    },
  }
}
