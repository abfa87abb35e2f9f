import pino from 'pino'
import type { Log } from '../../ports/log.ts'

/** JSON lines on standard error. */
export function createLog(level: string, destination: Destination = standardError()): Log {
  const logger = pino({ level, base: null, serializers: { error: withoutDriverMembers } }, destination)
  return {
    info: (event, facts = {}) => logger.info(facts, event),
    warn(event, facts = {}) {
      logger.warn(facts, event)
      destination.flush?.()
    },
    error(event, facts = {}) {
      logger.error(facts, event)
      destination.flush?.()
    },
  }
}

interface Destination extends pino.DestinationStream {
  /** Writes what waits. */
  flush?(): void
}

/** How long a line may wait for others, unless it is a warning or an error. A process that is killed in this time loses it, one that ends or crashes does not. */
const GATHER_MS = 10
const GATHER_BYTES = 8 * 1024

/** Lines are written together: a write for each takes longer than an answer. pino writes the rest when the process exits. */
function standardError(): Destination {
  const stream = pino.destination({ fd: 2, sync: false, minLength: GATHER_BYTES })
  let timer: NodeJS.Timeout | undefined
  let isOwed = false
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    isOwed = true
    stream.flush()
  }
  // While a write is under way, `flush` does nothing.
  stream.on('drain', () => {
    if (isOwed) stream.flush()
    isOwed = false
  })
  return {
    write(line) {
      stream.write(line)
      timer ??= setTimeout(flush, GATHER_MS)
    },
    flush,
  }
}

/** Leaves out the members that drivers add to an error: PostgreSQL's `detail` quotes values of the refused row. */
function withoutDriverMembers(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack, code, errcode, syscall }: Record<string, unknown> = {
    ...pino.stdSerializers.err(error),
  }
  return { type, message, stack, code, errcode, syscall }
}
