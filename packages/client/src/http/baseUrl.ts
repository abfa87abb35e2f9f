import { type Operation, PATH_PARAMETERS } from '@blindkeep/protocol/operations'

/**
 * Origin and path of a server's public URL, without a trailing slash. The path is kept, for a server below a path.
 * Throws `RangeError` for anything but an http(s) URL, and for a URL with a user, a query or a fragment.
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === undefined || !isHttp) throw new RangeError('The server’s address is not an http or https URL.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new RangeError('The server’s address has more than an origin and a path.')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Path and query of one call. Throws `RangeError` for an invalid parameter; the message does not repeat it, because it may be a credential. */
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
