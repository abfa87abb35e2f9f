/** Which page the address names. Views are in the fragment (`#/albums/{id}`), so that the server needs no paths for them and sees none. */
import { useEffect, useState } from 'preact/hooks'

export const PAGES = ['inbox', 'links', 'albums', 'shares', 'storage', 'account'] as const
export type Page = (typeof PAGES)[number]

/** For whoever is not signed in. */
export const DOORS = ['register', 'recover'] as const
export type Door = (typeof DOORS)[number]

export interface Route {
  /** `inbox` for what is no page. */
  readonly page: Page
  readonly door: Door | undefined
  /** What stands behind the page, without a slash before it: an id, and what follows it. */
  readonly rest: string
  readonly query: URLSearchParams
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name = '', ...rest] = path.split('/')
  return {
    page: PAGES.find((page) => page === name) ?? 'inbox',
    door: DOORS.find((door) => door === name),
    rest: rest.join('/'),
    query: new URLSearchParams(query),
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const read = () => setHash(location.hash)
    // What changed between the first drawing and this.
    read()
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return parseRoute(hash)
}

/** `path` as it stands behind `#/`. */
export function goTo(path: string): void {
  location.hash = `#/${path}`
}
