/**
 * Which guest opened a session: in memory, because no database should record addresses. After a restart, the sessions from before belong to no guest, so shares
 * are looser for them, and their landing returns nothing.
 */
import type { OpaqueId, UploadId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import { networkOf, shareOf } from './guestNetwork.ts'

export interface SessionLimitSettings {
  readonly linkSessionsPerWindow: number
  readonly sourceSessionsPerWindow: number
}

export interface Guest {
  readonly opaqueId: OpaqueId
  /** The address of the request. Undefined when many guests share it. */
  readonly source: string | undefined
}

interface Opener extends Guest {
  /** Whether the link counted it as one of the first of its network. */
  readonly isFirst: boolean
}

const WINDOW_SECONDS = 900
/**
 * So many sessions of each network are counted apart from the link's others, as many as it may hold open: opening and cancelling from a few networks does not
 * use up what a guest needs who lands what it opens.
 */
const FIRST_SESSIONS = 16
const FIRSTS_OF_LINK = 'first-sessions-of-link'
/** About 20 MB. Above this, the oldest is forgotten, as at a restart. */
const MAX_REMEMBERED = 100_000

export type OpenedSessions = ReturnType<typeof createOpenedSessions>

export function createOpenedSessions({ limiter }: { readonly limiter: Limiter }, settings: SessionLimitSettings) {
  const guests = new Map<UploadId, Opener>()

  /** A guest's limit over all links; and of the link, the alternatives of which one must have room (`takeFirst`). */
  function limitsOf({ opaqueId, source }: Guest): {
    readonly ofSource: readonly Limit[]
    readonly ofLink: readonly (readonly Limit[])[]
  } {
    const windowSeconds = WINDOW_SECONDS
    const { sourceSessionsPerWindow, linkSessionsPerWindow: max } = settings
    const ofLink = { rule: 'sessions-of-link', key: opaqueId, max, windowSeconds }
    if (source === undefined) return { ofSource: [], ofLink: [[ofLink]] }
    const key = `${opaqueId} ${networkOf(source)}`
    const share = { rule: 'sessions-of-link-and-network', key, max: shareOf(max), windowSeconds }
    const first = { rule: 'first-sessions-of-link-and-network', key, max: FIRST_SESSIONS, windowSeconds }
    const firsts = { rule: FIRSTS_OF_LINK, key: opaqueId, max, windowSeconds }
    const ofSource = { rule: 'sessions-of-source', key: source, max: sourceSessionsPerWindow, windowSeconds }
    return {
      ofSource: [ofSource],
      ofLink: [
        [share, first, firsts],
        [share, ofLink],
      ],
    }
  }

  return {
    limitsOf,

    remember(uploadId: UploadId, { opaqueId, source }: Guest, counted: readonly Limit[]): void {
      guests.set(uploadId, { opaqueId, source, isFirst: counted.some(({ rule }) => rule === FIRSTS_OF_LINK) })
      const [oldest] = guests.keys()
      if (guests.size > MAX_REMEMBERED && oldest !== undefined) guests.delete(oldest)
    },

    /** Undefined if the guest is not known. */
    networkOf: (uploadId: UploadId): string | undefined => networkOf(guests.get(uploadId)?.source),

    /** What has landed does not count: caps and quota bound it. Only sessions that do not land fill the windows. */
    async landed(uploadId: UploadId): Promise<void> {
      const guest = guests.get(uploadId)
      if (guest === undefined) return
      guests.delete(uploadId)
      const { ofSource, ofLink } = limitsOf(guest)
      const counted = (guest.isFirst ? ofLink.at(0) : ofLink.at(-1)) ?? []
      await limiter.giveBack([...ofSource, ...counted])
    },
  }
}
