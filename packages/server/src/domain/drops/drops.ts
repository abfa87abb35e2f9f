/** Creates a guest's session and returns the landed receipt. arrival/chunks.ts takes bytes, landing.ts lands. */
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { LinkRefusal } from '@blindkeep/protocol/schemas/links'
import type { Clock } from '../../ports/clock.ts'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { Random } from '../../ports/random.ts'
import { accountLock, type Link, type ReceiptRow, type Store } from '../../ports/store.ts'
import { takeFirstWithRoom } from '../ground/firstWithRoom.ts'
import { isRefusal, type Refuses } from '../ground/refusals.ts'
import type { PassphraseSettings, Proof } from '../passphrases/judgePassphrase.ts'
import type { Quota } from '../quota/quota.ts'
import type { Room } from '../quota/room.ts'
import type { UploadEnding } from '../uploads/uploadEnding.ts'
import type { Writers } from '../uploads/writers.ts'
import type { InboxRoom } from './inboxRoom.ts'
import { createLinkPlaces, type LinkPlaceSettings } from './linkPlaces.ts'
import type { CountedRefusals } from './linkRefusals.ts'
import { isLive, type Links, refuseEnded } from './links.ts'
import {
  createOpenDropSession,
  type DropSessionRequest,
  type OpenDropRefusal,
  type OpenedDropSession,
} from './openDropSession.ts'
import type { OpenedSessions, SessionLimitSettings } from './openedSessions.ts'
import type { OwnerNotices } from './ownerNotices.ts'
import { createJudgeProof } from './passphrases.ts'
import type { RefusedDrops } from './refusedDrops.ts'

export interface DropSettings extends PassphraseSettings, SessionLimitSettings, LinkPlaceSettings {}

export type CreateDrop = DropSessionRequest & Proof

type CreateRefusal =
  | OpenDropRefusal
  | Refuses<'source_limited' | 'link_limited' | 'passphrase_missing' | 'passphrase_wrong' | 'request_malformed'>

interface DropPorts {
  readonly store: Store
  readonly room: Room
  readonly clock: Clock
  readonly random: Random
  readonly limiter: Limiter
  readonly links: Links
  readonly quota: Quota
  readonly writers: Writers
  readonly ending: UploadEnding
  readonly opened: OpenedSessions
  readonly notices: Pick<OwnerNotices, 'nearlyFull'>
  readonly inboxRoom: InboxRoom
  readonly refusals: Pick<CountedRefusals, 'note'>
  readonly refusedDrops: Pick<RefusedDrops, 'note'>
}

export type Drops = ReturnType<typeof createDrops>

export function createDrops(ports: DropPorts, settings: DropSettings) {
  const { store, room, clock, limiter, opened, notices, refusals, refusedDrops } = ports
  const openDropSession = createOpenDropSession({ ...ports, places: createLinkPlaces(ports, settings) })
  const judgeProof = createJudgeProof(limiter, settings)

  /**
   * Counts an attempt against the first of `alternatives` with room before `work` judges, and takes it back unless
   * `work` opens a session: the limits count opened sessions.
   */
  async function counting(
    alternatives: readonly (readonly Limit[])[],
    limited: 'source_limited' | 'link_limited',
    work: (limits: readonly Limit[]) => Promise<OpenedDropSession | CreateRefusal>,
  ): Promise<OpenedDropSession | CreateRefusal> {
    const limits = await takeFirstWithRoom(limiter, alternatives)
    if ('retryAfterSeconds' in limits) return { ...limits, refused: limited }
    let hasOpened = false
    try {
      const answer = await work(limits)
      hasOpened = !isRefusal(answer) && !answer.isRepeat
      return answer
    } finally {
      if (!hasOpened) await limiter.giveBack(limits)
    }
  }

  async function judgeAndOpen(
    request: CreateDrop,
    link: Link,
    counted: readonly Limit[],
  ): Promise<OpenedDropSession | CreateRefusal> {
    const refused = await judgeProof(link, request)
    if (refused !== undefined) return refused
    const { accountId } = link
    await room.measure()
    const session = await store.write([accountLock(accountId)], (tx) =>
      openDropSession(tx, request, { accountId, counted }),
    )
    if (isRefusal(session)) {
      const why = whyOf(session, link)
      if (why !== undefined) await refusedDrops.note(link, why)
      return session
    }
    if (session.isInboxNearlyFull) await notices.nearlyFull(accountId)
    return session
  }

  return {
    /** Opens a session, or answers with the one that the same Idempotency-Key opened. */
    async create(request: CreateDrop): Promise<UploadId | CreateRefusal> {
      const answer = await counting([opened.limitsOfSource(request)], 'source_limited', async () => {
        const found = await store.ask((tx) => tx.links.findWithOwner(request.opaqueId))
        const at = clock.now()
        if (found === undefined || !isLive(found, at)) return refuseEnded(found, at, refusals)
        const { link } = found
        return counting(opened.limitsOf(request, link), 'link_limited', (counted) =>
          judgeAndOpen(request, link, counted),
        )
      })
      return isRefusal(answer) ? answer : answer.uploadId
    },

    /** The receipt of a landed drop. */
    async receipt(scope: {
      readonly opaqueId: OpaqueId
      readonly uploadId: UploadId
    }): Promise<ReceiptRow | Refuses<'upload_not_found'>> {
      const row = await store.ask((tx) => tx.receipts.ofDrop(scope))
      return row ?? { refused: 'upload_not_found' }
    },
  }
}

/** What the owner reads at the link. Undefined for what is no matter of the owner, or soon over. */
function whyOf({ refused }: OpenDropRefusal, { maxFileCount, maxTotalBytes, ...link }: Link): LinkRefusal | undefined {
  if (refused === 'file_too_large') return 'too_large'
  if (refused === 'inbox_full' || refused === 'quota_exceeded') return refused
  if (refused !== 'caps_exhausted') return undefined
  if (link.landedFiles + link.openSessions >= (maxFileCount ?? Number.POSITIVE_INFINITY)) return 'files_full'
  // Otherwise only its open sessions are too many.
  return maxTotalBytes === undefined ? undefined : 'bytes_full'
}
