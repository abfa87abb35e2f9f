import { type OpaqueId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { parseBaseUrl } from '../http/baseUrl.ts'
import { type Fragment, parseFragment } from './fragment.ts'
import { LinkError } from './linkError.ts'

/** The parts of a link, as a page at that address knows them. */
export interface LinkParts {
  readonly baseUrl: string
  readonly opaqueId: string
  /** With or without its `#`. */
  readonly fragment: string
}

export interface LinkAddress {
  readonly baseUrl: string
  readonly opaqueId: OpaqueId
  readonly fragment: Fragment
}

/** `{PUBLIC_URL}/u/{opaque_id}#{fragment}`. */
export function formatLink({ baseUrl, opaqueId, fragment }: LinkParts): string {
  return `${baseUrl}/u/${opaqueId}#${fragment}`
}

/** Throws `LinkError`: `malformed`, or `fragment_missing`. */
export function parseLink(link: string | LinkParts): LinkAddress {
  const parts = typeof link === 'string' ? partsOf(link) : link
  const opaqueId = parseOpaqueId(parts.opaqueId)
  if (opaqueId === undefined) throw new LinkError('malformed')
  if (parts.fragment === '' || parts.fragment === '#') throw new LinkError('fragment_missing')
  const fragment = parseFragment(parts.fragment)
  if (fragment === undefined) throw new LinkError('malformed')
  return { baseUrl: baseUrlOf(parts.baseUrl), opaqueId, fragment }
}

function partsOf(text: string): LinkParts {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  const [, path, opaqueId] = /^(.*)\/u\/([^/]+)\/?$/.exec(url?.pathname ?? '') ?? []
  if (url === undefined || path === undefined || opaqueId === undefined) throw new LinkError('malformed')
  return { baseUrl: `${url.origin}${path}`, opaqueId, fragment: url.hash }
}

function baseUrlOf(text: string): string {
  try {
    return parseBaseUrl(text)
  } catch {
    throw new LinkError('malformed')
  }
}
