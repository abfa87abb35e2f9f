/**
 * `*.example` is this machine. Loaded before the command line (`node --import`), so that a server can have public
 * names: a loopback address is never a former one.
 */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns'

const system = dns.lookup
type Answer = (error: Error | null, address: string | LookupAddress[], family?: number) => void

function lookup(hostname: string, options: LookupOptions, answer: Answer): void {
  if (!hostname.endsWith('.example')) system(hostname, options, answer as never)
  else if (options.all === true) answer(null, [{ address: '127.0.0.1', family: 4 }])
  else answer(null, '127.0.0.1', 4)
}

dns.lookup = lookup as typeof dns.lookup
