import type { Config } from '../config/config.ts'
import { endpointText } from '../config/endpoint.ts'

/** Throws an error for people in place of the system's. */
export function unusableAddress(
  { host, port }: Pick<Config, 'host' | 'port'>,
  settings = { host: 'HOST', port: '--port or PORT' },
): (error: unknown) => never {
  return (cause) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const sentences: Readonly<Record<string, string>> = {
      EADDRINUSE: `another program, perhaps another Blindkeep, listens on ${endpointText(host, port)}. Stop it, or choose another port with ${settings.port}.`,
      EACCES: `this user may not listen on ${endpointText(host, port)}. Choose a port from 1024 on with ${settings.port}, and put a proxy in front.`,
      EADDRNOTAVAIL: `this machine has no address ${host}. Set ${settings.host} to one that it has.`,
      ENOTFOUND: `${host} is the name of no machine. Set ${settings.host} to an address of this one.`,
    }
    throw sentences[code] === undefined ? cause : new Error(sentences[code])
  }
}
