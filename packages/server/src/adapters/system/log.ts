import pino from 'pino'
import type { Log } from '../../ports/log.ts'

/** JSON lines on standard error. */
export function createLog(level: string): Log {
  const logger = pino(
    { level, base: null, serializers: { error: pino.stdSerializers.err } },
    pino.destination({ fd: 2, sync: false }),
  )
  return {
    info: (event, facts = {}) => logger.info(facts, event),
    warn: (event, facts = {}) => logger.warn(facts, event),
    error: (event, facts = {}) => logger.error(facts, event),
  }
}
