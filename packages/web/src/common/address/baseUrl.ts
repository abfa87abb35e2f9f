import { trimEnd } from '@blindkeep/protocol/trimEnd'

/**
 * The base URL of the server, without a slash at the end: the address up to the page's own path. It is read from the
 * address, so that the same files work below any path of a proxy.
 */
export function baseUrlBefore(location: Pick<Location, 'origin' | 'pathname'>, pagePath: RegExp): string {
  return `${location.origin}${trimEnd(location.pathname.replace(pagePath, ''), '/')}`
}
