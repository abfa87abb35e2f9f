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

const WINDOW_SECONDS = 900
/** About 20 MB. Above this, the oldest is forgotten, as at a restart. */
const MAX_REMEMBERED = 100_000

export type OpenedSessions = ReturnType<typeof createOpenedSessions>

export function createOpenedSessions({ limiter }: { readonly limiter: Limiter }, settings: SessionLimitSettings) {
  const guests = new Map<UploadId, Guest>()

  /** A guest's limit over all links, and the limits of the link: its guest's share, and the whole. */
  function limitsOf({ opaqueId, source }: Guest): {
    readonly ofSource: readonly Limit[]
    readonly ofLink: readonly Limit[]
  } {
    const windowSeconds = WINDOW_SECONDS
    const { sourceSessionsPerWindow, linkSessionsPerWindow } = settings
    const ofLink = { rule: 'sessions-of-link', key: opaqueId, max: linkSessionsPerWindow, windowSeconds }
    if (source === undefined) return { ofSource: [], ofLink: [ofLink] }
    const key = `${opaqueId} ${networkOf(source)}`
    const share = { rule: 'sessions-of-link-and-network', key, max: shareOf(linkSessionsPerWindow), windowSeconds }
    const ofSource = { rule: 'sessions-of-source', key: source, max: sourceSessionsPerWindow, windowSeconds }
    return { ofSource: [ofSource], ofLink: [share, ofLink] }
  }

  return {
    limitsOf,

    remember(uploadId: UploadId, guest: Guest): void {
      guests.set(uploadId, guest)
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
      await limiter.giveBack([...ofSource, ...ofLink])
    },
  }
}
