import { isIP } from 'node:net'

/** `HOST:PORT`, an IPv6 address in brackets. */
export function endpointText(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
