import { mendAddress } from '@blindkeep/protocol/mendAddress'
import { type Operation, PATH_PARAMETERS } from '@blindkeep/protocol/operations'
import { trimEnd } from '@blindkeep/protocol/trimEnd'

/** A server, and the way to it. */
export interface ServerAddress {
  /** Where requests go: the server's public URL, unless `serverUrl` is given. May have a path. */
  readonly baseUrl: string
  /**
   * The server's public URL, where requests go through a program between. Then secrets, links, shares, pins and
   * receipts are bound to this one alone, and the server must name its origin, also between loopback addresses.
   */
  readonly serverUrl?: string | undefined
}

/** Without what else is given with it. */
export function addressOf({ baseUrl, serverUrl }: ServerAddress): ServerAddress {
  return serverUrl === undefined ? { baseUrl } : { baseUrl, serverUrl }
}

/** The server's public URL, wherever requests go. */
export function serverUrlOf({ baseUrl, serverUrl }: ServerAddress): string {
  return serverUrl ?? baseUrl
}

/**
 * Origin and path of a server's public URL, without a trailing slash. The path is kept, for a server below a path.
 * Throws `RangeError` for anything but an http(s) URL, and for a URL with a user, a query or a fragment.
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === undefined || !isHttp)
    throw new RangeError('The server’s address is not an http or https URL. Write it as in https://keep.example.org')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new RangeError('The server’s address has more than an origin and a path.')
  return `${url.origin}${trimEnd(url.pathname, '/')}`
}

const MAX_ADDRESS_LENGTH = 300
/** Without anything that a terminal or a shell takes for more than text. */
const plainAddress = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[1-9][0-9]{0,4})?(?:\/[A-Za-z0-9._~-]+)*$/

/** An address that a server names, if people may be shown it and copy it: canonical, and of plain characters only. */
export function plainAddressOf(value: unknown): string | undefined {
  const isPlain = typeof value === 'string' && value.length <= MAX_ADDRESS_LENGTH && plainAddress.test(value)
  return isPlain && baseUrlOrUndefined(value) === value ? value : undefined
}

/** Parts of `{PUBLIC_URL}/{page}/{opaque_id}#{fragment}`, as a page at that address knows them. Unverified. */
export interface AddressParts extends ServerAddress {
  readonly opaqueId: string
  /** With or without its `#`. */
  readonly fragment: string
}

/** Splits the address of a link (`u`) or a share (`v`), also a rewritten one; undefined for any other text. */
export function partsOfAddress(given: string | AddressParts, page: 'u' | 'v'): AddressParts | undefined {
  if (typeof given !== 'string') return { ...given, fragment: keyIn(given.fragment) }
  const { address } = mendAddress(given)
  const url = URL.canParse(address) ? new URL(address) : undefined
  const [, path, opaqueId] = new RegExp(`^(.*)/${page}/([^/]+)/?$`).exec(url?.pathname ?? '') ?? []
  if (url === undefined || path === undefined || opaqueId === undefined) return undefined
  return { baseUrl: `${url.origin}${path}`, opaqueId, fragment: keyIn(url.hash) }
}

/**
 * A fragment without an appended full stop, bracket, padding or parameter. A cut key stays invalid: its length tells.
 */
function keyIn(fragment: string): string {
  return /^#?[\w-]*/.exec(fragment)?.[0] ?? ''
}

/** Both URLs by `parseBaseUrl`; undefined if one is invalid. */
export function addressOrUndefined(given: ServerAddress): ServerAddress | undefined {
  const baseUrl = baseUrlOrUndefined(given.baseUrl)
  const serverUrl = baseUrlOrUndefined(serverUrlOf(given))
  if (baseUrl === undefined || serverUrl === undefined) return undefined
  return given.serverUrl === undefined ? { baseUrl } : { baseUrl, serverUrl }
}

/** Like `parseBaseUrl`; undefined for an invalid address. */
export function baseUrlOrUndefined(text: string): string | undefined {
  try {
    return parseBaseUrl(text)
  } catch {
    return undefined
  }
}

/** Path and query of one call. Throws `RangeError` without the parameter's value, which may be a credential. */
export function pathOf(
  operation: Operation,
  parameters: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const path = operation.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => segmentOf(name, parameters[name]))
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const search = new URLSearchParams(given).toString()
  return search === '' ? path : `${path}?${search}`
}

function segmentOf(name: string, value: string | undefined): string {
  const isValid = value !== undefined && (!isIdParameter(name) || PATH_PARAMETERS[name].parse(value) !== undefined)
  if (!isValid) throw new RangeError(`${name} does not have its required form.`)
  return encodeURIComponent(value)
}

function isIdParameter(name: string): name is keyof typeof PATH_PARAMETERS {
  return Object.hasOwn(PATH_PARAMETERS, name)
}
