/**
 * An account's inbox has 10,000 places for files that wait and files on their way. Half of them are for the links that need them. The other half is kept in
 * equal parts for the open links: each may use its own part, whatever the others take.
 */
import type { Instant } from '@blindkeep/protocol/ids'
import type { HeldPlaces, Link, ReadTx } from '../../ports/store.ts'
import type { Refuses } from '../refusals.ts'

export const MAX_PENDING_DROPS = 10_000
const KEPT = MAX_PENDING_DROPS / 2
/** From here on the owner is warned. */
const NEARLY_FULL = MAX_PENDING_DROPS * 0.8

/** `unclosed`: open and finishing sessions, the owner's own included. */
interface Landing {
  readonly pendingDrops: number
  readonly unclosed: number
}

/** The places in use before the new file. Sessions count too, because they may land: otherwise they could fill the inbox beyond its limit. */
export async function judgeInbox(
  tx: ReadTx,
  { accountId, opaqueId }: Link,
  { landing: { pendingDrops, unclosed }, at }: { readonly landing: Landing; readonly at: Instant },
): Promise<{ readonly isNearlyFull: boolean } | Refuses<'inbox_full'>> {
  if (pendingDrops + unclosed < KEPT) return { isNearlyFull: false }
  // The account's own sessions do not land in the inbox. They are counted last, because the count seldom matters.
  const { all: own } = await tx.uploads.countUnclosedOwn(accountId)
  const used = pendingDrops + unclosed - own
  if (used >= KEPT && !hasPlace(used, opaqueId, await tx.links.heldPlaces(accountId, at)))
    return { refused: 'inbox_full' }
  return { isNearlyFull: used + 1 >= NEARLY_FULL }
}

/** `used`: without the new file. `open`: the account's open links; that of `opaqueId` counts the new file already. */
export function hasPlace(used: number, opaqueId: Link['opaqueId'], open: readonly HeldPlaces[]): boolean {
  if (used >= MAX_PENDING_DROPS) return false
  const part = Math.floor(KEPT / open.length)
  const own = open.find((link) => link.opaqueId === opaqueId)
  if (own !== undefined && own.held <= part) return true
  const keptForOthers = open.reduce((sum, link) => sum + (link === own ? 0 : Math.max(0, part - link.held)), 0)
  return used + keptForOthers < MAX_PENDING_DROPS
}
