/** One POST to a URL that an owner has named, without a way into the operator's network. */
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type DeliveryFault, MAX_CHANNEL_SHOWN_LENGTH } from '@blindkeep/protocol/schemas/channels'
import { abortable } from '../../ground/abortable.ts'
import type { Delivery } from '../../ports/messenger.ts'
import type { AllowedAddresses } from './allowedAddresses.ts'
import { systemWord } from './systemWord.ts'

/** For the whole attempt: name, connection, TLS, request and the head of the answer. */
const MAX_POST_MS = 10_000
const MAX_ANSWER_HEAD_BYTES = 16 * 1024
/** Of public addresses. In networks that the operator names, every port is allowed. */
const PUBLIC_PORTS = ['', '443', '4443', '8443']

export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>

/**
 * Asks the name servers, and not the system (`getaddrinfo`), which takes one of the four threads that also read and
 * write files: an owner whose name servers never answer could stop the server. So names in a file of hosts are unknown.
 * IPv4 first: not every server reaches IPv6. `servers`: in place of the system's.
 */
export function createResolveName(servers?: readonly string[]): ResolveName {
  return async (name) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addressesOf = (answer: PromiseSettledResult<readonly string[]>, family: number) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
    return [...addressesOf(four, 4), ...addressesOf(six, 6)]
  }
}

export interface PostRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** The statuses that say that nothing is there any more. 410 if absent. */
  readonly gone?: readonly number[]
}

export interface Posting {
  readonly allowed: AllowedAddresses
  readonly resolve: ResolveName
  /** In place of the system's certificate authorities; for tests. */
  readonly ca?: string | undefined
}

/**
 * Resolves the name once, judges every address that it has, and connects to one that was judged. An answer counts by
 * its status alone: its body is not read. Redirects are not followed. No connection is kept, so no later request can
 * meet an old one.
 */
export function createPost({ allowed, resolve, ca }: Posting) {
  return async function post(request: PostRequest, signal: AbortSignal): Promise<Delivery> {
    const stopped = AbortSignal.any([signal, AbortSignal.timeout(MAX_POST_MS)])
    try {
      const address = await abortable(addressOf(request.url), stopped)
      if (address === undefined) return { fault: 'address_refused' }
      const status = await abortable(statusOf(request, { address, signal: stopped, ca }), stopped)
      return deliveryOf(status, request.gone)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (stopped.aborted) return { fault: 'timed_out' }
      return { fault: faultOf(error), why: systemWord(error) }
    }
  }

  /** Undefined also for an unknown name: an owner must not learn the names of the operator's network. */
  async function addressOf(url: URL): Promise<LookupAddress | undefined> {
    const literal = literalIn(url)
    return chosenOf(url, literal === undefined ? await resolve(url.hostname).catch(() => []) : [literal], allowed)
  }
}

/** The host of a URL that is an address and no name. */
function literalIn({ hostname }: URL): LookupAddress | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(address)
  return family === 0 ? undefined : { address, family }
}

/** Of the addresses of a URL's host, one to which this URL may lead. */
function chosenOf(
  { protocol, port }: URL,
  addresses: readonly LookupAddress[],
  allowed: AllowedAddresses,
): LookupAddress | undefined {
  // A name with one forbidden address has no honest reason to have it.
  if (!addresses.every(({ address }) => allowed.isAllowed(address))) return undefined
  const isPlain = protocol !== 'https:' || !PUBLIC_PORTS.includes(port)
  return addresses.find(({ address }) => !isPlain || allowed.isNamed(address))
}

/** What can be said of a URL before its name is resolved, as a sentence without its subject. */
export function faultInUrl(text: string, allowed: AllowedAddresses): string | undefined {
  const url = URL.parse(text)
  if (url === null || !(url.protocol === 'https:' || url.protocol === 'http:')) return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password'
  if (url.hash !== '') return 'must not have a part after #'
  // No name is longer (RFC 1035), and a client refuses a list that shows a longer one: then its owner could not remove
  // the channel.
  if (url.host.length > MAX_CHANNEL_SHOWN_LENGTH)
    return `must have a host of at most ${MAX_CHANNEL_SHOWN_LENGTH} characters`
  const literal = literalIn(url)
  if (literal !== undefined && chosenOf(url, [literal], allowed) === undefined)
    return 'must not lead to an address or a port to which this server does not send'
  return undefined
}

interface Connection {
  readonly address: LookupAddress
  readonly signal: AbortSignal
  readonly ca: string | undefined
}

function statusOf({ url, headers, body }: PostRequest, { address, signal, ca }: Connection): Promise<number> {
  const lookup: LookupFunction = (_name, { all }, answer) =>
    all === true ? answer(null, [address]) : answer(null, address.address, address.family)
  const options = {
    method: 'POST',
    headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)), 'User-Agent': 'Blindkeep' },
    // An agent of its own: none that keeps connections, or follows proxies of the environment.
    agent: false,
    maxHeaderSize: MAX_ANSWER_HEAD_BYTES,
    lookup,
    signal,
    ...(ca !== undefined && { ca }),
  } as const
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage) => {
      const { statusCode = 0 } = answer
      // Ends the connection: the body may never end.
      answer.destroy()
      resolve(statusCode)
    }
    const request: ClientRequest =
      url.protocol === 'https:' ? https.request(url, options, onAnswer) : http.request(url, options, onAnswer)
    // Without a listener, the request would end without an error.
    request.on('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer.statusCode ?? 0)
    })
    request.on('error', reject)
    request.on('close', () => reject(new Error('the receiver has closed the connection')))
    request.end(body)
  })
}

function deliveryOf(status: number, gone: readonly number[] = [410]): Delivery {
  if (status >= 200 && status < 300) return 'sent'
  return { fault: faultOfStatus(status, gone), why: `HTTP ${status}` }
}

function faultOfStatus(status: number, gone: readonly number[]): DeliveryFault {
  if (status >= 300 && status < 400) return 'redirected'
  if (gone.includes(status)) return 'no_longer_there'
  return status >= 400 && status < 500 ? 'rejected' : 'receiver_failed'
}

function faultOf(error: unknown): 'tls_failed' | 'receiver_failed' | 'unreachable' {
  const code = systemWord(error) ?? ''
  if (/CERT|TLS|SSL|SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(code)) return 'tls_failed'
  return code.startsWith('HPE_') ? 'receiver_failed' : 'unreachable'
}
