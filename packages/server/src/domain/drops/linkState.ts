import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { LinkState } from '@blindkeep/protocol/schemas/links'
import type { Link, ListedLink, ReadTx } from '../../ports/store.ts'

export const MAX_LIVE_LINKS = 1000

/** A link as its owner sees it. */
export type OwnLink = ListedLink & { readonly state: LinkState }

export function withState(link: ListedLink, at: Instant): OwnLink {
  return { ...link, state: stateOf(link, at) }
}

export function stateOf(link: Link, at: Instant): LinkState {
  if (link.revokedAt !== undefined) return 'revoked'
  if (link.spentAt !== undefined) return 'spent'
  return link.expiresAt !== undefined && link.expiresAt <= at ? 'expired' : 'live'
}

/** Whether the account may have one more live link. */
export async function hasLinkLeft(tx: ReadTx, accountId: AccountId, at: Instant): Promise<boolean> {
  return (await tx.links.countLive(accountId, at)) < MAX_LIVE_LINKS
}
