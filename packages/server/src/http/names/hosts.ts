/**
 * By which name a request calls this server. A page of another site can let its own name point to this machine (DNS
 * rebinding); the browser then takes the server for that site, and lets its scripts register and read. Only names that
 * no other site controls are its own: `PUBLIC_URL`'s, `localhost`, loopback addresses, and the address that the
 * connection came in at. Ports are not compared: they do not say who controls a name. Names from before a move are
 * former, unless they are loopback or the present host has them too, at whatever port.
 */
import type { IncomingMessage } from 'node:http'
import { CappedMap } from '@blindkeep/protocol/cappedMap'
import { addressOf, endpointOf, isLoopback } from './addresses.ts'

/** `former_whole`: in the browser, all of the origin was this server's, because its address had no path. */
export type Naming = 'own' | 'former' | 'former_whole' | 'other'

export type NamingOf = (
  request: Pick<IncomingMessage, 'url' | 'httpVersion' | 'rawHeaders'> & {
    readonly socket: { readonly localAddress?: string | undefined }
  },
) => Naming

const MAX_KNOWN = 64

/** @param formerUrls what `PUBLIC_URL` was before each move */
export function createNaming(publicUrl: string, formerUrls: readonly string[] = []): NamingOf {
  const publicName = nameOf(new URL(publicUrl).host)
  const former = formerUrls.map((each) => new URL(each)).map((url) => ({ url, name: nameOf(url.host) }))
  const known = new CappedMap<string, Naming>(MAX_KNOWN)
  return (request) => {
    const authorities = authoritiesOf(request)
    // Browsers send a host. Without one, only HTTP/1.0 gets here (RFC 9112, section 3.2).
    if (authorities.length === 0) return request.httpVersion === '1.0' ? 'own' : 'other'
    const [first = 'other', ...others] = authorities.map((each) => knownNaming(each, request.socket.localAddress))
    return others.every((each) => each === first) ? first : 'other'
  }

  /** The names that clients use are few. */
  function knownNaming(authority: string, localAddress = ''): Naming {
    const asked = `${authority} ${localAddress}`
    const naming = known.get(asked) ?? namingOf(authority, localAddress)
    if (naming !== 'other') known.set(asked, naming)
    return naming
  }

  function namingOf(authority: string, localAddress: string): Naming {
    const address = endpointOf(authority)
    const name = address?.text ?? nameOf(authority)
    if (name === undefined) return 'other'
    if (name === publicName || isLoopback(name)) return 'own'
    const urls = former.flatMap((each) => (each.name === name ? [each.url] : []))
    if (urls.length > 0) return isWhole(urls, authority) ? 'former_whole' : 'former'
    return address !== undefined && name === addressOf(localAddress)?.text ? 'own' : 'other'
  }
}

function isWhole(urls: readonly URL[], authority: string): boolean {
  const port = /:(\d+)$/.exec(authority)?.[1]
  const at = urls.filter((url) => (port === undefined ? url.port === '' : portOf(url) === Number(port)))
  return at.length > 0 && at.every(({ pathname }) => pathname === '/')
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? ({ 'http:': 80, 'https:': 443 }[protocol] ?? 0) : Number(port)
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
