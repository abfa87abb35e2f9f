import { type OpaqueId, parseOpaqueId } from '@blindkeep/protocol/ids'
import { type AddressParts, addressOrUndefined, partsOfAddress, type ServerAddress } from '../http/baseUrl.ts'
import { type Fragment, parseFragment } from './fragment.ts'
import { LinkError } from './linkError.ts'

export type LinkParts = AddressParts

export interface LinkAddress extends ServerAddress {
  readonly opaqueId: OpaqueId
  readonly fragment: Fragment
}

/** `{PUBLIC_URL}/u/{opaque_id}#{fragment}`. */
export function formatLink({ baseUrl, opaqueId, fragment }: LinkParts): string {
  return `${baseUrl}/u/${opaqueId}#${fragment}`
}

/** Throws `LinkError`: `malformed`, or `fragment_missing`. */
export function parseLink(link: string | LinkParts): LinkAddress {
  const parts = partsOfAddress(link, 'u')
  const opaqueId = parseOpaqueId(parts?.opaqueId ?? '')
  if (parts === undefined || opaqueId === undefined) throw new LinkError('malformed')
  if (parts.fragment === '' || parts.fragment === '#') throw new LinkError('fragment_missing')
  const fragment = parseFragment(parts.fragment)
  if (fragment === undefined) throw new LinkError('malformed')
  const server = addressOrUndefined(parts)
  if (server === undefined) throw new LinkError('malformed')
  return { ...server, opaqueId, fragment }
}
