import pino from 'pino'
import type { Log } from '../../ports/log.ts'

/** JSON lines on standard error. */
export function createLog(level: string, destination: pino.DestinationStream = standardError()): Log {
  const logger = pino({ level, base: null, serializers: { error: withoutDriverMembers } }, destination)
  return {
    info: (event, facts = {}) => logger.info(facts, event),
    warn: (event, facts = {}) => logger.warn(facts, event),
    error: (event, facts = {}) => logger.error(facts, event),
  }
}

const standardError = () => pino.destination({ fd: 2, sync: false })

/** Leaves out the members that drivers add to an error: PostgreSQL's `detail` quotes values of the refused row. */
function withoutDriverMembers(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack, code, errcode, syscall }: Record<string, unknown> = {
    ...pino.stdSerializers.err(error),
  }
  return { type, message, stack, code, errcode, syscall }
}
