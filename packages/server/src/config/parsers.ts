import { isIP } from 'node:net'
import { type ProtocolVersion, parseProtocolVersion } from '@blindkeep/protocol/ids'

/** A text from the environment as a value, or what is wrong with it: the end of a sentence that the setting's name begins. */
export type Parsed<Value> = { readonly value: Value } | { readonly fault: string }
export type Parser<Value> = (text: string) => Parsed<Value>

/** Where a server is reached from outside. */
export interface PublicAddress {
  /** The origin, which names the server in every receipt (specification, ServerInfoResponse). */
  readonly serverId: string
  /** The origin and the path below which everything is served, without a slash at its end. */
  readonly baseUrl: string
}

const digits = /^\d{1,16}$/

/** A whole number from `least` to `most`, in decimal digits alone. */
export function integer({
  least,
  most = Number.MAX_SAFE_INTEGER,
}: {
  readonly least: number
  readonly most?: number
}): Parser<number> {
  return (text) => {
    const value = Number(text)
    const isInRange = digits.test(text) && Number.isSafeInteger(value) && value >= least && value <= most
    return isInRange ? { value } : { fault: `has to be a whole number from ${least} to ${most}` }
  }
}

export function oneOf<Name extends string>(names: readonly Name[]): Parser<Name> {
  return (text) => {
    const value = names.find((name) => name === text)
    return value === undefined ? { fault: `has to be one of ${names.join(', ')}` } : { value }
  }
}

const hostForm = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})$/

/** An IP address without brackets, or a name. */
export const host: Parser<string> = (value) =>
  isIP(value) !== 0 || hostForm.test(value) ? { value } : { fault: 'has to be an IP address or a host name' }

export const text: Parser<string> = (value) => ({ value })

export const protocolVersion: Parser<ProtocolVersion> = (given) => {
  const value = parseProtocolVersion(given)
  return value === undefined ? { fault: 'has to be a date that exists, YYYY-MM-DD' } : { value }
}

/** The answer never repeats what was given: a password may be in it. */
export const publicAddress: Parser<PublicAddress> = (given) => {
  const url = URL.parse(given)
  if (url === null || !(url.protocol === 'http:' || url.protocol === 'https:'))
    return { fault: 'has to be an http or https URL' }
  const isPlain =
    url.search === '' && url.hash === '' && url.username === '' && url.password === '' && !/[?#]/.test(given)
  if (!isPlain) return { fault: 'has to be a URL without a query, a fragment, a user or a password' }
  return { value: { serverId: url.origin, baseUrl: url.origin + url.pathname.replace(/\/+$/, '') } }
}

export const httpUrl: Parser<string> = (given) => {
  const parsed = publicAddress(given)
  return 'fault' in parsed ? parsed : { value: parsed.value.baseUrl }
}

/** Addresses and networks in CIDR notation, separated by commas. */
export const networks: Parser<readonly string[]> = (given) => {
  const value = given.split(',').map((part) => part.trim())
  const wrong = value.find((part) => !isNetwork(part))
  return wrong === undefined
    ? { value }
    : { fault: `has to list IP addresses and CIDR networks; "${wrong}" is neither` }
}

function isNetwork(given: string): boolean {
  const [address = '', length, ...more] = given.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return length === undefined || (digits.test(length) && Number(length) <= (family === 4 ? 32 : 128))
}

/** The path in `<scheme>:<path>`; `<scheme>:///<path>` is an absolute one. Other schemes are named as not served. */
export function pathUrl(scheme: string): Parser<string> {
  const prefix = `${scheme}:`
  return (given) => {
    const path = given.slice(prefix.length).replace(/^\/\/(?=\/)/, '')
    const isPath = given.startsWith(prefix) && path !== '' && !path.startsWith('//') && !/[?#:]/.test(path)
    return isPath ? { value: path } : { fault: `has to be ${prefix}<path>; nothing else is served yet` }
  }
}
