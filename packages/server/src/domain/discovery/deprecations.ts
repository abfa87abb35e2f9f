/** Announcements that the server will stop accepting old protocol versions (specification, Versioning, 4). */
import { addSeconds, formatInstant, type Instant, type ProtocolVersion } from '@blindkeep/protocol/ids'
import type { ProtocolWindow } from '@blindkeep/protocol/window'
import type { Clock } from '../../ports/clock.ts'
import type { Deprecation, Store } from '../../ports/store.ts'
import { highest, settledWindow } from './protocolWindow.ts'

interface DeprecationSettings {
  /** The least number of days from an announcement to its cutoff. */
  readonly deprecationLeadDays: number
}

interface Announcement {
  /** From the cutoff on the server accepts no version below this one. */
  readonly minProtocolVersion: ProtocolVersion
  readonly cutoff: Instant
  /** A page for people: what to do. http or https. */
  readonly detailUrl: string | undefined
}

/** For an operator who considers an announcement. */
interface Outlook {
  /** Versions that are accepted now, and not announced to end. */
  readonly oldest: ProtocolVersion
  readonly newest: ProtocolVersion
  /** Whole days until the cutoff. */
  readonly days: number
}

export interface AnnouncementRefused {
  readonly refused: 'announcement_unfit'
  /** For the operator. */
  readonly detail: string
}

/** Each answer of server-info carries all. Each names a later version than the last: the bound is far. */
const MAX_ANNOUNCEMENTS = 1000
const MAX_URL_CHARACTERS = 2048
const DAY_SECONDS = 86_400
const DAY_MS = DAY_SECONDS * 1000

export type Deprecations = ReturnType<typeof createDeprecations>

export function createDeprecations(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  settings: DeprecationSettings,
) {
  return {
    list(): Promise<readonly Deprecation[]> {
      return store.read((tx) => tx.deprecations.list())
    },

    /** What would happen to an announcement now. Changes nothing. */
    async judge(announcement: Announcement): Promise<Outlook | AnnouncementRefused> {
      const now = clock.now()
      return store.read(async (tx) => {
        const earlier = await tx.deprecations.list()
        const window = await settledWindow(tx)
        const detail = unfitByItself(announcement, now, settings) ?? unfitBeside(earlier, announcement, window)
        if (detail !== undefined || window === undefined) return { refused: 'announcement_unfit', detail: detail ?? '' }
        const { cutoff } = announcement
        return { oldest: highest(window.min, earlier), newest: window.max, days: Math.floor((cutoff - now) / DAY_MS) }
      })
    },

    /** Announcements are final. So each must fit lead time, earlier ones and the window of the last start. */
    async announce(announcement: Announcement): Promise<Deprecation | AnnouncementRefused> {
      const announcedAt = clock.now()
      return store.write(['server'], async (tx) => {
        const earlier = await tx.deprecations.list()
        const detail =
          unfitByItself(announcement, announcedAt, settings) ??
          unfitBeside(earlier, announcement, await settledWindow(tx))
        if (detail !== undefined) return { refused: 'announcement_unfit', detail }
        const deprecation = { ...announcement, announcedAt }
        await tx.deprecations.append(deprecation)
        return deprecation
      })
    },
  }
}

function unfitByItself(
  { cutoff, detailUrl }: Announcement,
  now: Instant,
  { deprecationLeadDays }: DeprecationSettings,
): string | undefined {
  const soonest = addSeconds(now, deprecationLeadDays * DAY_SECONDS)
  if (cutoff < soonest)
    return `the cutoff has to be at least ${deprecationLeadDays} days ahead (DEPRECATION_LEAD_DAYS): ${formatInstant(soonest)} or later`
  return detailUrl === undefined || isWebAddress(detailUrl)
    ? undefined
    : `the detail URL has to be an http or https URL of at most ${MAX_URL_CHARACTERS} characters`
}

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol
  return text.length <= MAX_URL_CHARACTERS && (protocol === 'https:' || protocol === 'http:')
}

/** Versions and cutoffs rise together, so a later announcement never shortens the time of an earlier one. */
function unfitBeside(
  earlier: readonly Deprecation[],
  { minProtocolVersion, cutoff }: Announcement,
  window: ProtocolWindow | undefined,
): string | undefined {
  if (window === undefined) return 'no server has started on this data yet, so its protocol versions are not known'
  const oldest = highest(window.min, earlier)
  if (minProtocolVersion <= oldest)
    return `versions below ${oldest} are not accepted, or it is announced that they will not be: the version has to be later than ${oldest}`
  if (minProtocolVersion > window.max)
    return `the newest protocol version of the server is ${window.max} (PROTOCOL_MAX, as it last started): the version has to be that one or an earlier one`
  const last = earlier.at(-1)
  if (last !== undefined && cutoff < last.cutoff)
    return `it is announced that versions below ${last.minProtocolVersion} are accepted until ${formatInstant(last.cutoff)}: the cutoff has to be then or later`
  return earlier.length < MAX_ANNOUNCEMENTS
    ? undefined
    : `there are ${MAX_ANNOUNCEMENTS} announcements, which is the maximum`
}
