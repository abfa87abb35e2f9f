import { escapedJson } from '@blindkeep/protocol/terminalText'
import pino from 'pino'
import type { Log } from '../../ports/log.ts'

/** How long a line waits for others, except warnings and errors. Only a kill loses it, no end and no crash. */
const GATHER_MS = 10
const MAX_GATHERED = 64

interface Entry {
  readonly time: number
  readonly event: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** JSON lines on standard error, written together: single ones take as long as much of their answers. */
export function createLog(
  level: string,
  destination: pino.DestinationStream = pino.destination({ fd: 2, sync: false }),
): Log {
  let lines = ''
  const keep = (line: string) => {
    lines += line
  }
  const options = { level, base: null, timestamp: false, serializers: { error: withoutDriverMembers } }
  const logger = pino(options, { write: keep })
  const gathered: Entry[] = []
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    for (const { time, event, facts } of gathered.splice(0)) logger.info({ time, ...facts }, event)
    if (lines !== '') destination.write(escapedJson(lines))
    lines = ''
  }

  function writeAtOnce(urgency: 'warn' | 'error', { time, event, facts }: Entry): void {
    flush()
    logger[urgency]({ time, ...facts }, event)
    flush()
  }

  // Before pino's own listener, which writes what its destination still has.
  process.prependListener('exit', flush)
  return {
    info(event, facts = {}) {
      if (!logger.isLevelEnabled('info')) return
      gathered.push({ time: Date.now(), event, facts })
      if (gathered.length >= MAX_GATHERED) flush()
      else timer ??= setTimeout(flush, GATHER_MS)
    },
    warn: (event, facts = {}) => writeAtOnce('warn', { time: Date.now(), event, facts }),
    error: (event, facts = {}) => writeAtOnce('error', { time: Date.now(), event, facts }),
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
