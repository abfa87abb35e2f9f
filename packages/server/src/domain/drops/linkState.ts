import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { LinkState } from '@blindkeep/protocol/schemas/links'
import type { Link, ListedLink, ReadTx, WriteTx } from '../../ports/store.ts'
import { BOUNDS } from '../ground/bounds.ts'

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
  return (await tx.links.countLive(accountId, at)) < BOUNDS['live links']
}

/** Whether one more link fits. The oldest ended ones leave the list, unless their files wait in the inbox. */
export async function makePlaceInList(tx: WriteTx, accountId: AccountId, at: Instant): Promise<boolean> {
  const surplus = (await tx.links.countListed(accountId)) + 1 - BOUNDS['links, ended ones included']
  return surplus <= 0 || (await tx.links.bury(accountId, at, surplus)) === surplus
}
