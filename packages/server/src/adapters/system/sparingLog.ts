import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Log } from '../../ports/log.ts'

/** Between two lines about one thing that goes on failing. */
export const SUMMARY_MS = 60_000
/** Things that fail at the same time. Events and messages are few; what is beyond this is a line each time. */
const MAX_FAILING = 100

/** Facts about one occurrence, which do not say what fails. */
const OF_ONE: ReadonlySet<string> = new Set(['requestId', 'route', 'error', 'attempts', 'state'])

type Facts = Readonly<Record<string, unknown>>

/**
 * The same log, but what fails because a store or a receiver does not answer is one line, and then one a minute with
 * how often it has failed since: in an outage each request would write a stack. A fault of the code stays a line each
 * time, as each may be another one.
 */
export function createSparingLog(log: Log): Log {
  const repeats = new Map<string, number>()

  function write(level: 'warn' | 'error', event: string, facts: Facts = {}): void {
    const key = isOutage(facts) ? keyOf(event, facts) : undefined
    const count = key === undefined ? undefined : repeats.get(key)
    if (key !== undefined && count !== undefined) {
      repeats.set(key, count + 1)
      return
    }
    log[level](event, facts)
    if (key === undefined || repeats.size >= MAX_FAILING) return
    repeats.set(key, 0)
    summariseLater(key, () => log[level](event, { ...withoutOccurrence(facts), repeated: repeats.get(key) }))
  }

  /** Until it has not failed for the whole time. */
  function summariseLater(key: string, summarise: () => void): void {
    setTimeout(() => {
      const isOver = repeats.get(key) === 0
      if (isOver) return void repeats.delete(key)
      summarise()
      repeats.set(key, 0)
      summariseLater(key, summarise)
    }, SUMMARY_MS).unref()
  }

  return {
    info: log.info,
    warn: (event, facts) => write('warn', event, facts),
    error: (event, facts) => write('error', event, facts),
  }
}

/** `fault`: of a message to an owner. */
function isOutage({ error, fault }: Facts): boolean {
  return error instanceof StorageUnavailable || fault !== undefined
}

function withoutOccurrence(facts: Facts): Facts {
  const { error } = facts
  const reason = error instanceof Error ? { reason: error.message } : {}
  return { ...Object.fromEntries(Object.entries(facts).filter(([name]) => !OF_ONE.has(name))), ...reason }
}

function keyOf(event: string, facts: Facts): string {
  return JSON.stringify([event, withoutOccurrence(facts)])
}
