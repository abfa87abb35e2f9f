/** Whether the owner has to hear of the inbox: that it fills up, or that guests could not send. */
import type { AccountFacts } from '@blindkeep/client/owner'

/** From here on the server raises `inbox.nearly_full`, too. */
const NEARLY_FULL = 0.8

export type Fullness = 'full' | 'nearlyFull'

export function fullnessOf({ inbox }: Pick<AccountFacts, 'inbox'>): Fullness | undefined {
  if (inbox === undefined || inbox.waiting < inbox.room * NEARLY_FULL) return undefined
  return inbox.waiting < inbox.room ? 'nearlyFull' : 'full'
}
