import { type Operation, PATH_PARAMETERS } from '@blindkeep/protocol/operations'

/**
 * Origin and path of a server's public URL, without a slash at the end; a path is kept, so that a server below one works.
 * Throws `RangeError` for what is no http(s) address, or carries a user, a query or a fragment.
 */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (url === undefined || !isHttp) throw new RangeError('The server’s address is not an http or https URL.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new RangeError('The server’s address carries more than origin and path.')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Path and query of one call. Throws `RangeError` for a parameter that is not of its form, without repeating it: it may be a credential. */
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
  const isOfItsForm = value !== undefined && (!isIdParameter(name) || PATH_PARAMETERS[name].parse(value) !== undefined)
  if (!isOfItsForm) throw new RangeError(`${name} is not of its form.`)
  return encodeURIComponent(value)
}

function isIdParameter(name: string): name is keyof typeof PATH_PARAMETERS {
  return Object.hasOwn(PATH_PARAMETERS, name)
}
