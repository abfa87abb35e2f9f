/** One line of a log for each request, all lines of a turn of the event loop in one write, as the server's. */
import type { IncomingMessage } from 'node:http'

/** Returns what notes an answered request. */
export function logLines(): (request: IncomingMessage, startedAt: number) => void {
  let requests = 0
  let lines = ''
  const write = () => {
    process.stdout.write(lines)
    lines = ''
  }
  return ({ method, url }, startedAt) => {
    if (lines === '') setImmediate(write)
    const ms = performance.now() - startedAt
    const line = { level: 30, time: Date.now(), request: ++requests, method, path: url, status: 200, ms }
    lines += `${JSON.stringify(line)}\n`
  }
}
