/**
 * Where the server is, without a slash at the end: what stands before the page's own path. Read from the address, so that the same files serve below any
 * path of a proxy.
 */
export function baseUrlBefore(location: Pick<Location, 'origin' | 'pathname'>, pagePath: RegExp): string {
  return `${location.origin}${location.pathname.replace(pagePath, '')}`.replace(/\/+$/, '')
}
