import { addSeconds, parseProtocolVersion } from '@blindkeep/protocol/ids'
import { type AnnouncementRefused, createDeprecations } from '../domain/discovery/deprecations.ts'
import { settleWindow } from '../domain/discovery/protocolWindow.ts'
import type { Deprecation } from '../ports/store.ts'
import { defined, type World } from './world.ts'

export const LEAD_DAYS = 90
const DAY_SECONDS = 86_400

/** Announces as the operator's command does, in another process. The world's rules read it at their next refresh. */
export async function announce(
  { store, clock, settings }: World,
  date: string,
  { days = LEAD_DAYS, detailUrl }: { readonly days?: number; readonly detailUrl?: string } = {},
): Promise<Deprecation | AnnouncementRefused> {
  await settleWindow(store, settings.window)
  return createDeprecations({ store, clock }, { deprecationLeadDays: LEAD_DAYS }).announce({
    minProtocolVersion: defined(parseProtocolVersion(date)),
    cutoff: addSeconds(clock.now(), days * DAY_SECONDS),
    detailUrl,
  })
}
