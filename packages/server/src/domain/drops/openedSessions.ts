/**
 * Which guest opened a session: in the session's row, until it closes, so that every process knows it. No row has an
 * address, only keyed hashes as the counts of limits have: one of the network together with the link, and one of the
 * address, which counts over all links.
 */
import { createHmac } from 'node:crypto'
import type { AccountId, OpaqueId } from '@blindkeep/protocol/ids'
import type { Limit, Limiter } from '../../ports/limiter.ts'
import type { DropUpload, Link, Opener } from '../../ports/store.ts'
import { networkOf, shareOf } from '../ground/guestNetwork.ts'

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
/**
 * So many sessions of each network are counted apart from the link's others, as many as it may hold open: opening and
 * cancelling from a few networks does not use up what a guest needs who lands what it opens.
 */
const FIRST_SESSIONS = 16
const FIRSTS_OF_LINK = 'first-sessions-of-link'
/**
 * Sessions that one network may open on all links of an account in an hour, whatever becomes of them: half of its
 * inbox. So an inbox is not full before its owner could hear of it, and 10,000 photographs take an hour longer than
 * their bytes at most.
 */
const MAX_HOURLY = 5000
const HOUR_SECONDS = 3600
/**
 * Sessions that all guests together may open on all links of an account in a day, whatever becomes of them: as many as
 * an owner's uploads. Each leaves a row, and where no source is known, nothing else bounds them for an account.
 */
const MAX_DAILY = 1_000_000
const DAY_SECONDS = 86_400

export type OpenedSessions = ReturnType<typeof createOpenedSessions>

/** Hashes of which a guest is known, and nothing else. */
type Known = Pick<Opener, 'network' | 'source'>

export function createOpenedSessions(
  { limiter, serverSecret }: { readonly limiter: Limiter; readonly serverSecret: Uint8Array },
  settings: SessionLimitSettings,
) {
  const hashOf = (what: string, text: string) =>
    createHmac('sha256', serverSecret).update(`opener\0${what}\0${text}`).digest('hex').slice(0, 32)

  /** Undefined if the guest's address is unknown. */
  function knownOf({ opaqueId, source }: Guest): Known | undefined {
    if (source === undefined) return undefined
    return { network: hashOf('network', `${opaqueId} ${networkOf(source)}`), source: hashOf('source', source) }
  }

  /** A guest's limit over all links; and of the link, the alternatives for `takeFirstWithRoom`. */
  function limitsOf(
    opaqueId: OpaqueId,
    known: Known | undefined,
  ): { readonly ofSource: readonly Limit[]; readonly ofLink: readonly (readonly Limit[])[] } {
    const windowSeconds = WINDOW_SECONDS
    const { sourceSessionsPerWindow, linkSessionsPerWindow: max } = settings
    const ofLink = { rule: 'sessions-of-link', key: opaqueId, max, windowSeconds }
    if (known === undefined) return { ofSource: [], ofLink: [[ofLink]] }
    const { network: key, source } = known
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

  /** A landing gives back neither this nor the next. */
  function hourOf(accountId: AccountId, source: string): Limit {
    const key = hashOf('hour', `${accountId} ${networkOf(source)}`)
    return { rule: 'sessions-of-account-and-network', key, max: MAX_HOURLY, windowSeconds: HOUR_SECONDS }
  }

  function dayOf(accountId: AccountId): Limit {
    return { rule: 'guest-sessions-of-account', key: accountId, max: MAX_DAILY, windowSeconds: DAY_SECONDS }
  }

  return {
    /** One of the alternatives must have room. */
    limitsOf(guest: Guest, { accountId }: Pick<Link, 'accountId'>): readonly (readonly Limit[])[] {
      const { opaqueId, source } = guest
      const hour = source === undefined ? [] : [hourOf(accountId, source)]
      return limitsOf(opaqueId, knownOf(guest)).ofLink.map((limits) => [...limits, dayOf(accountId), ...hour])
    },

    limitsOfSource: (guest: Guest): readonly Limit[] => limitsOf(guest.opaqueId, knownOf(guest)).ofSource,

    /** The network of a guest on this link, as `Opener` has it. */
    networkOf: (guest: Guest): string | undefined => knownOf(guest)?.network,

    /** For the row of a session that was counted against `counted`. */
    openerOf(guest: Guest, counted: readonly Limit[]): Opener | undefined {
      const known = knownOf(guest)
      return known && { ...known, isFirst: counted.some(({ rule }) => rule === FIRSTS_OF_LINK) }
    },

    /** Landed sessions do not count here: caps and quota bound them. `upload`: the row before landing. */
    async landed({ opaqueId, opener }: Pick<DropUpload, 'opaqueId' | 'opener'>): Promise<void> {
      const { ofSource, ofLink } = limitsOf(opaqueId, opener)
      const counted = (opener?.isFirst ? ofLink.at(0) : ofLink.at(-1)) ?? []
      await limiter.giveBack([...ofSource, ...counted])
    },
  }
}
