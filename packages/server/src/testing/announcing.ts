import { addSeconds, parseProtocolVersion } from '@blindkeep/protocol/ids'
import { type AnnouncementRefused, createDeprecations } from '../domain/discovery/deprecations.ts'
import { settleWindow } from '../domain/discovery/protocolWindow.ts'
import type { Deprecation } from '../ports/store.ts'
import { known, type World } from './world.ts'

export const LEAD_DAYS = 90
const DAY_SECONDS = 86_400

/** As the operator's command does it, in a process of its own, after a start: the world's rules hear of it at their next look. */
export async function announce(
  { store, clock, settings }: World,
  date: string,
  { days = LEAD_DAYS, detailUrl }: { readonly days?: number; readonly detailUrl?: string } = {},
): Promise<Deprecation | AnnouncementRefused> {
  await settleWindow(store, settings.window)
  return createDeprecations({ store, clock }, { deprecationLeadDays: LEAD_DAYS }).announce({
    minProtocolVersion: known(parseProtocolVersion(date)),
    cutoff: addSeconds(clock.now(), days * DAY_SECONDS),
    detailUrl,
  })
}
