/**
 * Whether a request names this server. A page of another site can let its own name point to this machine (DNS
 * rebinding); the browser then takes the server for that site, and lets its scripts register and read. Only names that
 * no other site controls pass: `PUBLIC_URL`'s, `localhost`, loopback addresses, and the address that the connection
 * came in at. Ports are not compared: they do not say who controls a name.
 */
import type { IncomingMessage } from 'node:http'
import { addressOf, endpointOf, LOOPBACK } from './addresses.ts'

export type NamesThisServer = (
  request: Pick<IncomingMessage, 'url' | 'httpVersion' | 'rawHeaders'> & {
    readonly socket: { readonly localAddress?: string | undefined }
  },
) => boolean

const MAX_KNOWN = 64

export function createNamesThisServer(publicUrl: string): NamesThisServer {
  const publicName = nameOf(new URL(publicUrl).host)
  const known = new Set<string>()
  return (request) => {
    const authorities = authoritiesOf(request)
    // Browsers send a host. Without one, only HTTP/1.0 gets here (RFC 9112, section 3.2).
    if (authorities.length === 0) return request.httpVersion === '1.0'
    return authorities.every((authority) => isKnown(authority, request.socket.localAddress))
  }

  /** The names that clients use are few. */
  function isKnown(authority: string, localAddress = ''): boolean {
    const asked = `${authority} ${localAddress}`
    if (known.has(asked)) return true
    if (!isOwn(authority, localAddress)) return false
    if (known.size >= MAX_KNOWN) known.clear()
    known.add(asked)
    return true
  }

  function isOwn(authority: string, localAddress: string): boolean {
    const address = endpointOf(authority)
    const name = address?.text ?? nameOf(authority)
    if (name === undefined) return false
    if (name === publicName || name === 'localhost') return true
    return address !== undefined && (LOOPBACK.has(address) || name === addressOf(localAddress)?.text)
  }
}

/** Host headers, and the authority of an absolute request target, which replaces them (RFC 9112, section 3.2.2). */
function authoritiesOf({ url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>): readonly string[] {
  const authorities = url.startsWith('/') || url === '*' ? [] : [absoluteAuthority(url)]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'host') authorities.push(rawHeaders[at + 1]?.trim() ?? '')
  return authorities
}

/** Empty for a target that is no address of HTTP. An empty authority names no server. */
function absoluteAuthority(target: string): string {
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1] ?? ''
}

/** In lower case, without port, and without the dot that may end a full name. An IP address in its one spelling. */
function nameOf(authority: string): string | undefined {
  const name = /^([a-z0-9._-]{1,254}?)\.?(?::\d{0,5})?$/i.exec(authority)?.[1]
  return endpointOf(authority)?.text ?? name?.toLowerCase()
}
