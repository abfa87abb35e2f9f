/** Lets the owner hear that a link took no file: what the server refused, and what a guest's client held back. */
import type { Instant, OpaqueId } from '@blindkeep/protocol/ids'
import type { HeldBack, LinkRefusal } from '@blindkeep/protocol/schemas/links'
import type { Clock } from '../../ports/clock.ts'
import type { Link, OwnedLink, Store } from '../../ports/store.ts'
import type { Refuses } from '../ground/refusals.ts'
import type { Quota } from '../quota/quota.ts'
import type { InboxRoom } from './inboxRoom.ts'
import type { CountedRefusals } from './linkRefusals.ts'
import { isLive, refuseEnded } from './links.ts'
import type { OwnerNotices } from './ownerNotices.ts'
import { shownRoom } from './shownRoom.ts'

interface RefusedDropPorts {
  readonly store: Store
  readonly clock: Clock
  readonly quota: Quota
  readonly inboxRoom: InboxRoom
  readonly notices: Pick<OwnerNotices, 'refused'>
  readonly refusals: Pick<CountedRefusals, 'note'>
}

export type RefusedDrops = ReturnType<typeof createRefusedDrops>

export function createRefusedDrops({ store, clock, quota, inboxRoom, notices, refusals }: RefusedDropPorts) {
  async function note(link: Link, why: LinkRefusal, isTried = true): Promise<void> {
    refusals.note(link, why, isTried)
    // Whether the inbox is full, the server knows by itself.
    if (why === 'inbox_full' || (why === 'quota_exceeded' && isTried)) await notices.refused(link.accountId, why)
  }

  /** Undefined for what the link cannot have refused: a limit that was removed meanwhile, or never was. */
  async function whyHeldBack({ link, owner }: OwnedLink, why: HeldBack, at: Instant): Promise<LinkRefusal | undefined> {
    switch (why) {
      case 'too_large':
        return link.maxFileSize === undefined ? undefined : why
      case 'too_many':
        return link.maxFileCount === undefined ? undefined : 'files_full'
      case 'inbox_full':
        return (await inboxRoom.isFull(store, link, at)) ? why : undefined
      case 'no_room': {
        // The guest has seen the smaller of the two.
        const { ofLink, ofAccount } = shownRoom(link, { ...owner, hardLimit: quota.hardLimitOf(owner) })
        if (ofAccount < ofLink) return 'quota_exceeded'
        return Number.isFinite(ofLink) ? 'bytes_full' : undefined
      }
    }
  }

  return {
    note,

    /**
     * Believes the guest's client, also without the passphrase: one for whose files there is no room is not asked for
     * it. Without a passphrase it could as well try to send (decisions/links.md).
     */
    async noteHeldBack(opaqueId: OpaqueId, why: HeldBack): Promise<Refuses<'link_not_live'> | undefined> {
      const at = clock.now()
      const found = await store.ask((tx) => tx.links.findWithOwner(opaqueId))
      if (found === undefined || !isLive(found, at)) return refuseEnded(found, at, refusals)
      const counted = await whyHeldBack(found, why, at)
      if (counted !== undefined) await note(found.link, counted, found.link.verifierHash === undefined)
      return undefined
    },
  }
}
