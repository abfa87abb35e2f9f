import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../../ports/log.ts'
import { type Address, addressOf, endpointOf, type Networks, networksOf, SHARED } from './addresses.ts'

/** Who sends a request, as far as the server can know. */
export interface Sender {
  /**
   * What limits by address count: an IPv4 address or an IPv6 /64. Undefined for a loopback or private peer, because
   * it may be a proxy for many clients, unless a trusted proxy has named the address; and for a trusted proxy that
   * names none.
   */
  readonly source: string | undefined
  /** For the log: the whole address, where `source` is known. */
  readonly address: string | undefined
  /** Whether the peer is a proxy that `TRUST_PROXY` names. */
  readonly isTrustedProxy: boolean
}

export type SenderOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => Sender

export function createSenderOf(trustedProxies: readonly string[]): SenderOf {
  const trusted = networksOf(trustedProxies)
  const peers = new WeakMap<object, Sender>()

  function peerOf(socket: Pick<Socket, 'remoteAddress'>): Sender {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const peer = addressOf(socket.remoteAddress ?? '')
    const isTrustedProxy = peer !== undefined && trusted.has(peer)
    const isAlone = peer !== undefined && !isTrustedProxy && !SHARED.has(peer)
    const sender = { ...named(isAlone ? peer : undefined), isTrustedProxy }
    // A socket that is not connected yet, or no longer, has no address.
    if (peer !== undefined) peers.set(socket, sender)
    return sender
  }

  return ({ headers, socket }) => {
    const sender = peerOf(socket)
    if (!sender.isTrustedProxy) return sender
    return { ...named(namedBy(trusted, headers['x-forwarded-for'])), isTrustedProxy: true }
  }
}

/**
 * Each proxy adds the address that it sees at the end. So the client is the last address that is not a trusted proxy's,
 * or the first of all. What is not an address hides who sent the request: then there is no source, because an invented
 * one would have limits of its own.
 */
function namedBy(trusted: Networks, forwardedFor: string | string[] | undefined): Address | undefined {
  const entries = String(forwardedFor ?? '').split(',')
  for (let at = entries.length - 1; at >= 0; at--) {
    const address = endpointOf(entries[at]?.trim() ?? '')
    if (address === undefined || at === 0 || !trusted.has(address)) return address
  }
  return undefined
}

function named(address: Address | undefined): Pick<Sender, 'source' | 'address'> {
  return { source: address && keyOf(address), address: address?.text }
}

/** A network of IPv6 addresses belongs to one subscriber. */
function keyOf({ text, family }: Address): string {
  return family === 'ipv4' ? text : `${text.split(':').slice(0, 4).join(':')}::/64`
}

/** Whether a header says that a proxy forwarded the request. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'].some(
    (name) => headers[name] !== undefined,
  )
}

/**
 * Says once that requests come through a proxy that `TRUST_PROXY` does not name. Any client can send the headers, so it
 * is no more than a hint; but a proxy that is not named is a mistake that shows in nothing else, unless one client
 * locks out the others.
 */
export function createProxyHint(senderOf: SenderOf, log: Pick<Log, 'warn'>): (request: IncomingMessage) => void {
  let hasWarned = false
  return (request) => {
    if (hasWarned || !isForwarded(request.headers) || senderOf(request).isTrustedProxy) return
    hasWarned = true
    log.warn('a proxy that TRUST_PROXY does not name forwards requests: limits and log cannot tell its clients apart', {
      proxy: request.socket.remoteAddress,
    })
  }
}
