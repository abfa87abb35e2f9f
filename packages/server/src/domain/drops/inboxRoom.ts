/**
 * An account's inbox has places for files that wait and files on their way. Half of them are for the links that need
 * them. The other half is kept in equal parts for the open links: each may use its own part, whatever the others take.
 */
import type { AccountId, Instant } from '@blindkeep/protocol/ids'
import type { HeldPlaces, Link, ReadTx, Store } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'

/** From here on the owner is warned. */
const NEARLY_FULL = 0.8

export interface InboxSettings {
  readonly inboxFilesMax: number
}

/** `unclosed`: open and finishing sessions, the owner's own included. */
interface Landing {
  readonly pendingDrops: number
  readonly unclosed: number
}

export type InboxRoom = ReturnType<typeof createInboxRoom>

export function createInboxRoom({ inboxFilesMax }: InboxSettings) {
  const kept = Math.floor(inboxFilesMax / 2)

  /** Places in use. Sessions count too, because they may land: otherwise they could fill the inbox beyond its limit. */
  async function usedIn(
    tx: ReadTx,
    { accountId }: Pick<Link, 'accountId'>,
    { pendingDrops, unclosed }: Landing,
  ): Promise<number> {
    if (pendingDrops + unclosed < kept) return pendingDrops + unclosed
    // The account's own sessions do not land in the inbox. They are counted last, because the count seldom matters.
    const own = await tx.uploads.countUnclosedOwn(accountId)
    return pendingDrops + unclosed - own
  }

  /** `used`: without the new file. `open`: the account's open links; that of `opaqueId` counts the new file already. */
  function hasPlace(used: number, opaqueId: Link['opaqueId'], open: readonly HeldPlaces[]): boolean {
    if (used >= inboxFilesMax) return false
    const part = Math.floor(kept / open.length)
    const own = open.find((link) => link.opaqueId === opaqueId)
    if (own !== undefined && own.held <= part) return true
    const keptForOthers = open.reduce((sum, link) => sum + (link === own ? 0 : Math.max(0, part - link.held)), 0)
    return used + keptForOthers < inboxFilesMax
  }

  return {
    hasPlace,

    /** `landing`: without the new file, whose place the link holds already. */
    async judge(
      tx: ReadTx,
      link: Link,
      { landing, at }: { readonly landing: Landing; readonly at: Instant },
    ): Promise<{ readonly isNearlyFull: boolean } | Refuses<'inbox_full'>> {
      const used = await usedIn(tx, link, landing)
      if (used >= kept && !hasPlace(used, link.opaqueId, await tx.links.heldPlaces(link.accountId, at)))
        return { refused: 'inbox_full' }
      return { isNearlyFull: used + 1 >= inboxFilesMax * NEARLY_FULL }
    },

    /** Whether a drop that comes back has a place. It takes none that is kept for a link. */
    async hasPlaceBack(tx: ReadTx, accountId: AccountId): Promise<boolean> {
      return (await usedIn(tx, { accountId }, await tx.uploads.countLanding(accountId))) < inboxFilesMax
    },

    /** Whether a guest of the link would find no place for one more file. */
    async isFull(store: Store, link: Link, at: Instant): Promise<boolean> {
      const { accountId, opaqueId } = link
      const landing = await store.ask((tx) => tx.uploads.countLanding(accountId))
      if (landing.pendingDrops + landing.unclosed < kept) return false
      const [used, open] = await store.read((tx) =>
        Promise.all([usedIn(tx, link, landing), tx.links.heldPlaces(accountId, at)]),
      )
      const withNewFile = open.map((each) => (each.opaqueId === opaqueId ? { ...each, held: each.held + 1 } : each))
      return used >= kept && !hasPlace(used, opaqueId, withNewFile)
    },
  }
}
