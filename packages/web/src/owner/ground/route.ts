/** The page in the address's fragment (`#/albums/{id}`): the server needs no paths for pages and sees none. */
import { useEffect, useState } from 'preact/hooks'

export const PAGES = ['inbox', 'links', 'albums', 'shares', 'bin', 'storage', 'account'] as const
export type Page = (typeof PAGES)[number]

/** Pages of a visitor who is not signed in, beside the sign-in page. */
const SIGNED_OUT_PAGES = ['register', 'recover'] as const
type SignedOutPage = (typeof SIGNED_OUT_PAGES)[number]

export interface Route {
  /** `inbox` when the address names no page. */
  readonly page: Page
  readonly signedOutPage: SignedOutPage | undefined
  /** The path behind the page's name, without a leading slash: an id and what follows it. */
  readonly rest: string
  readonly query: URLSearchParams
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name = '', ...rest] = path.split('/')
  return {
    page: PAGES.find((page) => page === name) ?? 'inbox',
    signedOutPage: SIGNED_OUT_PAGES.find((signedOutPage) => signedOutPage === name),
    rest: rest.join('/'),
    query: new URLSearchParams(query),
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const read = () => setHash(location.hash)
    // The address may have changed between the first drawing and this effect.
    read()
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return parseRoute(hash)
}

/** `path` is the part behind `#/`. */
export function goTo(path: string): void {
  location.hash = `#/${path}`
}

/** Another query of the same page, in the same entry of the browser's history. */
export function goWithQuery(query: string): void {
  const [path] = location.hash.split('?', 1)
  history.replaceState(history.state, '', `${path || '#/inbox'}${query === '' ? '' : `?${query}`}`)
  // The browser sends it only for other ways to a new address.
  dispatchEvent(new HashChangeEvent('hashchange'))
}
