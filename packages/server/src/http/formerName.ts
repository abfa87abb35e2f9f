/** What this server answers at a name that it had before it moved. */
import type { OperationName } from '@blindkeep/protocol/operations'
import type { Refusal } from '../domain/ground/refusals.ts'
import { MOVED_PAGE_HEADERS, movedPage } from './movedPage.ts'
import { isLoopback } from './names/addresses.ts'
import { linkTargetOf } from './pages.ts'
import { type Exchange, send, setHeaders } from './reply.ts'

interface FormerNamePorts {
  /** The present one: the only server to which an answer leads. */
  readonly publicUrl: string
  refuse(exchange: Exchange & { readonly refusal: Refusal }): Promise<void>
}

interface Asked extends Exchange {
  /** Whether no other application could have stored anything at this origin. */
  readonly wasWhole: boolean
  /** Of the route that the request would have. */
  readonly operation: string
}

/**
 * Answered as at the present name: the statements of moves, by which clients follow; the page that a refusal names; and
 * what a load balancer asks, which may know the server by an address that was its name.
 */
const AS_EVER: ReadonlySet<string> = new Set<OperationName>(['moves', 'problemPage', 'healthz', 'readyz'])

/**
 * Leads browsers from a page to the same page at the present address, with the fragment that only they have. Everything
 * else is refused, and no token looked at. Undefined for what is answered as ever.
 */
export function createAtFormerName({ publicUrl, refuse }: FormerNamePorts) {
  // There a browser would give its fragment, which may be a key, to what listens on the machine that it runs on.
  const isOfEach = isLoopback(new URL(publicUrl).hostname)
  return ({ wasWhole, operation, ...exchange }: Asked): Promise<void> | undefined => {
    const { request, reply } = exchange
    if (AS_EVER.has(operation)) return undefined
    const url = request.url.replace(/^https?:\/\/[^/?#]*/i, '')
    const isOwnersPage = /^\/?(?:\?|$)/.test(url)
    const target = linkTargetOf(url) ?? (isOwnersPage ? '' : undefined)
    if (isOfEach || target === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
      return refuse({ ...exchange, refusal: { refused: 'server_moved', movedTo: publicUrl } })
    const to = `${publicUrl}/${target}`
    setHeaders(reply, { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    // A guest may have receipts of the day at this origin.
    if (wasWhole && !target.startsWith('u/') && isOpenedByPerson(request)) {
      setHeaders(reply, { ...MOVED_PAGE_HEADERS, 'Clear-Site-Data': '"storage"' })
      send(reply, 200, movedPage(to))
    } else {
      // No browser keeps it: names are given to others.
      setHeaders(reply, { Location: to })
      send(reply, 307)
    }
    return Promise.resolve()
  }
}

/** By the person: a page of another site must not clear what is stored here, with a picture or with a window. */
function isOpenedByPerson({ headers }: Exchange['request']): boolean {
  const from = headers['sec-fetch-site']
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return isNavigation && (from === 'none' || from === 'same-origin')
}
