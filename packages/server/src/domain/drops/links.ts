/**
 * Upload links: making, listing, changing, revoking, and reserving their caps. uploads/uploadEnding.ts returns a
 * reservation, `landDrops` makes a reservation final.
 */
import type { AccountId, Instant, OpaqueId, ProtocolVersion } from '@blindkeep/protocol/ids'
import { linkCapMembersOf } from '@blindkeep/protocol/schemas/links'
import { isKnownSuite } from '@blindkeep/protocol/suites'
import type { Clock } from '../../ports/clock.ts'
import {
  accountLock,
  type Link,
  type LinkRow,
  type LinkTerms,
  type NewLink,
  type OwnedLink,
  type ReadTx,
  type Store,
  type WriteTx,
} from '../../ports/store.ts'
import { noteLinkChange } from '../changes/changes.ts'
import { isReachable, requireActiveAccount } from '../ground/activeAccount.ts'
import { refusePassed } from '../ground/expiry.ts'
import { listMadeOf } from '../ground/lists.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import { sha256 } from '../ground/sha256.ts'
import type { Quota } from '../quota/quota.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import { type GuestView, guestView, maxFileBytes } from './guestView.ts'
import type { InboxRoom } from './inboxRoom.ts'
import { changeLink } from './linkChange.ts'
import { MAX_OPEN_SESSIONS } from './linkPlaces.ts'
import type { CountedRefusals } from './linkRefusals.ts'
import { hasLinkLeft, makePlaceInList, stateOf, withState } from './linkState.ts'
import { shownRoom } from './shownRoom.ts'

export interface LinkSettings {
  /** The version that a new link pins. */
  readonly protocolVersion: () => ProtocolVersion
  readonly blobBytesMax: number
}

export type Provision = Omit<NewLink, 'accountId' | 'protocolVersion' | 'verifierHash' | 'createdAt'> & {
  readonly passphraseVerifier: Uint8Array | undefined
}

interface LinkPorts {
  readonly store: Store
  readonly clock: Clock
  readonly ending: UploadEnding
  readonly quota: Quota
  readonly inboxRoom: InboxRoom
  readonly refusals: Pick<CountedRefusals, 'note' | 'forget'>
}

export type Links = ReturnType<typeof createLinks>

export function createLinks({ store, clock, ending, quota, inboxRoom, refusals }: LinkPorts, settings: LinkSettings) {
  return {
    /** Makes a link. An exact repeat by the same account gets the same answer. */
    async provision(
      accountId: AccountId,
      request: Provision,
    ): Promise<
      | OpaqueId
      | Refuses<'session_over' | 'opaque_id_taken' | 'links_exhausted' | 'request_malformed' | 'request_unprocessable'>
    > {
      if (!isKnownSuite(request.suiteId)) return { refused: 'request_malformed', detail: '/crypto_suite_id must be 1' }
      const { passphraseVerifier, ...values } = request
      const link: NewLink = {
        ...values,
        accountId,
        protocolVersion: settings.protocolVersion(),
        verifierHash: passphraseVerifier && sha256(passphraseVerifier),
        createdAt: clock.now(),
      }
      return store.write([accountLock(accountId)], (tx) => insert(tx, link))
    },

    /** Ended ones too. */
    list: listMadeOf(store, {
      rows: (tx) => tx.links,
      gone: { refused: 'link_not_live' },
      make: (links) => links.map((link) => withState(link, clock.now())),
    }),

    /** Sets the terms that `change` has; one that is undefined is removed. Open sessions go on. */
    async change(accountId: AccountId, opaqueId: OpaqueId, change: Partial<LinkTerms>): ReturnType<typeof changeLink> {
      const given = { accountId, opaqueId, change, at: clock.now() }
      const answer = await store.write([accountLock(accountId)], (tx) => changeLink(tx, given))
      if (!isRefusal(answer)) refusals.forget(opaqueId)
      return answer
    },

    /** Ends the link and its open sessions. Callers do not learn whether it existed (specification, Revoke). */
    async revoke(accountId: AccountId, opaqueId: OpaqueId): Promise<void> {
      const now = clock.now()
      await store.write([accountLock(accountId)], async (tx) => {
        if (!(await tx.links.revoke(opaqueId, accountId, now))) return
        await noteLinkChange(tx, { accountId, opaqueId }, now)
        await ending.endOpenOfLink(tx, opaqueId, now)
      })
    },

    async asGuestSees(opaqueId: OpaqueId): Promise<GuestView | Refuses<'link_not_live'>> {
      const now = clock.now()
      const found = await store.ask((tx) => tx.links.findWithOwner(opaqueId))
      if (found === undefined || !isLive(found, now)) return refuseEnded(found, now, refusals)
      const { link, owner } = found
      const hardLimit = quota.hardLimitOf(owner)
      const room = shownRoom(link, { usedBytes: owner.usedBytes, hardLimit })
      const [sealedTitle, isInboxFull] = await Promise.all([
        store.ask((tx) => tx.links.sealedTitle(opaqueId)),
        inboxRoom.isFull(store, link, now),
      ])
      return guestView(link, { ...room, isInboxFull, sealedTitle }, settings.blobBytesMax)
    },

    /**
     * Reserves the caps for one file (specification, Create drop session, order of checks, 1). One statement of the
     * store, `tx.links.reserve`, enforces them. A refusal changes nothing. A file that is too large gets that refusal
     * even when the link is full.
     */
    async reserve(
      tx: WriteTx,
      link: Link,
      size: number,
      at: Instant,
    ): Promise<Refuses<'file_too_large' | 'caps_exhausted' | 'link_not_live'> | undefined> {
      if (stateOf(link, at) !== 'live') return { refused: 'link_not_live' }
      const limit = maxFileBytes(link, settings.blobBytesMax)
      if (size > limit) return { refused: 'file_too_large', limit }
      // A refusal undoes the note too.
      const [isReserved] = await Promise.all([
        tx.links.reserve(link.opaqueId, { size, at, maxOpenSessions: MAX_OPEN_SESSIONS }),
        noteLinkChange(tx, link, at),
      ])
      return isReserved ? undefined : { refused: 'caps_exhausted' }
    },
  }
}

async function insert(
  tx: WriteTx,
  link: NewLink,
): Promise<OpaqueId | Refuses<'session_over' | 'opaque_id_taken' | 'links_exhausted' | 'request_unprocessable'>> {
  const { accountId, opaqueId, createdAt } = link
  const inactive = await requireActiveAccount(tx, accountId)
  if (inactive !== undefined) return inactive
  const present = await tx.links.find(opaqueId)
  if (present !== undefined) return isRepeat(present, link) ? opaqueId : { refused: 'opaque_id_taken' }
  const passed = refusePassed(link.expiresAt, createdAt)
  if (passed !== undefined) return passed
  const isLeft = (await hasLinkLeft(tx, accountId, createdAt)) && (await makePlaceInList(tx, accountId, createdAt))
  if (!isLeft) return { refused: 'links_exhausted' }
  if (!(await tx.links.insert(link))) return { refused: 'opaque_id_taken' }
  await noteLinkChange(tx, link, createdAt)
  return opaqueId
}

/** A live link of a reachable account. Undefined otherwise: a guest cannot tell the reasons apart. */
export async function findLive(tx: ReadTx, opaqueId: OpaqueId, at: Instant): Promise<OwnedLink | undefined> {
  const found = await tx.links.findWithOwner(opaqueId)
  return found !== undefined && isLive(found, at) ? found : undefined
}

export function isLive({ link, owner }: OwnedLink, at: Instant): boolean {
  return stateOf(link, at) === 'live' && isReachable(owner)
}

/** The one answer for a link that is not live. It is counted if it is a link whose owner can read the count. */
export function refuseEnded(
  found: OwnedLink | undefined,
  at: Instant,
  refusals: Pick<CountedRefusals, 'note'>,
): Refuses<'link_not_live'> {
  const state = found !== undefined && isReachable(found.owner) ? stateOf(found.link, at) : undefined
  // After the answer, whose time would otherwise say that the address was a link's.
  if (found !== undefined && (state === 'expired' || state === 'revoked'))
    setImmediate(() => refusals.note(found.link, state))
  return { refused: 'link_not_live' }
}

/** False for a revoked or spent link, also with equal values: its id is taken. */
function isRepeat(present: LinkRow, request: NewLink): boolean {
  if (present.revokedAt !== undefined || present.spentAt !== undefined) return false
  const values = (link: NewLink) => [
    link.accountId,
    link.suiteId,
    link.expiresAt,
    link.singleUse,
    ...Object.values(linkCapMembersOf(link)),
    ...[link.dropPublicKey, link.verifierHash, link.sealedLabel, link.sealedTitle].map(
      (bytes) => bytes && Buffer.from(bytes).toString('base64'),
    ),
  ]
  const requested = values(request)
  return values(present).every((value, at) => value === requested[at])
}
