/**
 * An invite as a link: `{PUBLIC_URL}/#/register?invite={code}` opens the registration form with the code in it. The
 * code is in the fragment, which browsers send to no server, so that it is in no log.
 */
import { mendAddress } from './mendAddress.ts'

const PATH = '#/register?invite='
/** Tells the page that the code was in path or query. */
export const EXPOSED = 'exposed'

export interface GivenInvite {
  readonly code: string
  /** Servers on the way have seen the code (`mendAddress.ts`). */
  readonly isExposed: boolean
}

export function inviteLink(baseUrl: string, code: string): string {
  return `${baseUrl}/${PATH}${encodeURIComponent(code)}`
}

/** The fragment for a browser that asked for an invite's address without `#`; undefined for other paths. */
export function exposedInvite(pathAndQuery: string): string | undefined {
  const { code, isExposed } = inviteOf(pathAndQuery)
  return isExposed ? `${PATH}${encodeURIComponent(code)}&${EXPOSED}` : undefined
}

/** An invite that was given as its code or as its link. */
export function inviteOf(given: string): GivenInvite {
  const code = given.trim()
  const { address, isExposed } = mendAddress(given)
  const start = address.indexOf(PATH)
  if (start < 0) return { code, isExposed: false }
  const [encoded = ''] = address.slice(start + PATH.length).split('&')
  try {
    return { code: decodeURIComponent(encoded), isExposed }
  } catch {
    return { code, isExposed: false }
  }
}
