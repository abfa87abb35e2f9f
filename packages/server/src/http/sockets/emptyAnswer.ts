/**
 * The answer to what reaches no route, as it goes over the line. A page of another site can lead a browser there, too,
 * with a long address or many connections: it has a policy as every answer.
 */
import { DATA_POLICY } from '@blindkeep/protocol/pages'

export function emptyAnswer(status: string, headers: readonly string[] = []): string {
  const lines = [
    `HTTP/1.1 ${status}`,
    ...headers,
    'Connection: close',
    'Content-Length: 0',
    `Content-Security-Policy: ${DATA_POLICY}`,
    'X-Content-Type-Options: nosniff',
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
